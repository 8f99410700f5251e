"""lsmarkov: chordal Markov networks by stochastic local search.

Rantanen, Hyttinen and Jarvisalo, "Learning Chordal Markov Networks via Stochastic Local Search" (ECAI 2020),
with a faster search of our own as the default.

    lsmarkov data.csv --time-limit 60
"""
