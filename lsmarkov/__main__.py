"""`python -m lsmarkov` is the `lsmarkov` command."""

from cliquewise.lsmarkov.cli import main

main()
