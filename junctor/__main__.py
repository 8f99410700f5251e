"""The command `junctor`: the console script, and `python -m cliquewise.junctor`."""

from ..common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.junctor.cli")


if __name__ == "__main__":
    main()
