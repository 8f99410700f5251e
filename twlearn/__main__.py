"""The command `twlearn`: the console script, and `python -m cliquewise.twlearn`."""

from ..common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.twlearn.cli")


if __name__ == "__main__":
    main()
