"""The command `mnposterior`: the console script, and `python -m cliquewise.mnposterior`."""

from __future__ import annotations

from ..common.start import start


def main() -> None:
    """Run the command."""
    start("cliquewise.mnposterior.cli")


if __name__ == "__main__":
    main()
