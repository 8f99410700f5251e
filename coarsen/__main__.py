"""The command `coarsen`: the console script, and `python -m cliquewise.coarsen`."""

from ..common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.coarsen.cli")


if __name__ == "__main__":
    main()
