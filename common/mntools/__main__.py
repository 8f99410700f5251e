"""`python -m common.mntools` is `mntools`."""

from cliquewise.common.mntools.cli import main

main()
