"""`python -m twlearn`."""

from cliquewise.twlearn.cli import main

main()
