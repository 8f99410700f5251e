"""Upper bounds on the score of every chordal network: an integer program, its linear relaxation, its proofs.

`cutting` says what the program is and why it is true; `bound` runs it on data. junctor finds optima with it, lsmarkov
and mntools tell how far a network can be from one.
"""
