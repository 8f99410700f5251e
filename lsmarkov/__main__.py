"""The command `lsmarkov`: the console script, and `python -m cliquewise.lsmarkov`."""

from ..common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.lsmarkov.cli")


if __name__ == "__main__":
    main()
