"""The command `mntools`: the console script, and `python -m cliquewise.mntools`."""

from ..common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.mntools.cli")


if __name__ == "__main__":
    main()
