"""`python -m junctor` is the `junctor` command."""

from junctor.cli import main

main()
