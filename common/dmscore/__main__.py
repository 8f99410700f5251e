"""`python -m common.dmscore` is `dmscore`."""

from common.dmscore.cli import main

main()
