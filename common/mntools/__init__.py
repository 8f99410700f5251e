"""mntools: what one does with a finished network. Score it, check it, compare it, convert it, draw it.

One module a subcommand; `cli.py` alone knows the command line. Example: `mntools check network.cliques
--data data.csv`.
"""
