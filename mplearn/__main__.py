"""The command `mplearn`: the console script, and `python -m cliquewise.mplearn`."""

from ..common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.mplearn.cli")


if __name__ == "__main__":
    main()
