"""The command `cliquewise`: the console script, and `python -m cliquewise.workflow`."""

from ..common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.workflow.cli")


if __name__ == "__main__":
    main()
