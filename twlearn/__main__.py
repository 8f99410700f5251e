"""`python -m twlearn`."""

from twlearn.cli import main

main()
