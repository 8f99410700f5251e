"""twlearn: Bayesian networks of bounded treewidth (Nie, Maua, de Campos, Ji, NIPS 2014), exact and anytime.

twlearn data/zoo.csv --treewidth 3 --time-limit 5 -o zoo.arcs
mntools check zoo.arcs --data data/zoo.csv
"""
