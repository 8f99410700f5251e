"""mnposterior: probabilities of edges, from the posterior distribution over chordal Markov networks.

By exact independent draws (Kangas, Niinimaki and Koivisto, "Averaging of Decomposable Graphs by Dynamic Programming and
Sampling", UAI 2015) for a few variables, and by tempered Markov chains for more.

    mnposterior data.csv --time-limit 60
"""
