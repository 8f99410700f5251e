"""`python -m coarsen` is the `coarsen` command."""

from coarsen.cli import main

main()
