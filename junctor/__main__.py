"""`python -m junctor` is the `junctor` command."""

from cliquewise.junctor.cli import main

main()
