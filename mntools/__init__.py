"""mntools: tools for finished networks: score, check, compare, convert, draw.

One module per subcommand; only `cli.py` knows the command line. Example: `mntools check network.cliques
--data data.csv`.
"""
