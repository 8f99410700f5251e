"""`python -m common.mntools` is `mntools`."""

from common.mntools.cli import main

main()
