"""The command `mntools`: the console script, and `python -m cliquewise.common.mntools`."""

from cliquewise.common.start import start


def main():
    """Run it."""
    start("cliquewise.common.mntools.cli")


if __name__ == "__main__":
    main()
