"""The command `mnposterior`: the console script, and `python -m cliquewise.mnposterior`."""

from ..common.start import start


def main():
    """Run it."""
    start("cliquewise.mnposterior.cli")


if __name__ == "__main__":
    main()
