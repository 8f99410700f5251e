"""The command `mnmodel`: the console script, and `python -m cliquewise.mnmodel`."""

from ..common.start import start


def main() -> None:
    """Run it."""
    start("cliquewise.mnmodel.cli")


if __name__ == "__main__":
    main()
