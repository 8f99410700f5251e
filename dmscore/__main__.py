"""The command `dmscore`: the console script, and `python -m cliquewise.dmscore`."""

from ..common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.dmscore.cli")


if __name__ == "__main__":
    main()
