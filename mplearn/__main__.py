"""`python -m mplearn` is the `mplearn` command."""

from cliquewise.mplearn.cli import main

main()
