"""mplearn: Markov networks, chordal or not, by marginal pseudo-likelihood.

Pensar, Nyman, Niiranen and Corander, "Marginal pseudo-likelihood learning of Markov network structures" (2014): a
Markov blanket for each variable, independently of the others; then one coherent graph, by hill climbing or exactly.

    mplearn data.csv > net.edges
"""
