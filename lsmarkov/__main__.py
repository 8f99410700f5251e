"""`python -m lsmarkov` is the `lsmarkov` command."""

from lsmarkov.cli import main

main()
