"""The harness of the reruns: `python -m cliquewise.data.papers`; it is not installed, and runs in a checkout."""

from ...common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.data.papers.cli")


if __name__ == "__main__":
    main()
