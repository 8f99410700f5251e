"""`python -m common.dmscore` is `dmscore`."""

from cliquewise.common.dmscore.cli import main

main()
