"""The command `cliquewise`: the console script, and `python -m cliquewise`."""

from ..common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.workflow.cli", "cliquewise")


if __name__ == "__main__":
    main()
