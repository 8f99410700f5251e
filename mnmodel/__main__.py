"""The command `mnmodel`: the console script, and `python -m cliquewise.mnmodel`."""

from ..common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.mnmodel.cli")


if __name__ == "__main__":
    main()
