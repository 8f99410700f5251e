"""lsmarkov: chordal Markov networks by stochastic local search."""
