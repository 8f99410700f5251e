"""`python -m mplearn` is the `mplearn` command."""

from mplearn.cli import main

main()
