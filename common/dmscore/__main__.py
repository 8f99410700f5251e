"""The command `dmscore`: the console script, and `python -m cliquewise.common.dmscore`."""

from cliquewise.common.start import start


def main():
    """Run it."""
    start("cliquewise.common.dmscore.cli")


if __name__ == "__main__":
    main()
