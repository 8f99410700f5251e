"""`python -m coarsen` is the `coarsen` command."""

from cliquewise.coarsen.cli import main

main()
