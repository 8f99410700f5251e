"""The command `coarsen`: the console script, and `python -m cliquewise.coarsen`."""

from ..common.start import start


def main() -> None:
    """Run it."""
    start("cliquewise.coarsen.cli")


if __name__ == "__main__":
    main()
