"""Upper bounds on the score of every chordal network: an integer program, its linear relaxation, its proofs.

`cutting` describes the program and proves it correct; `bound` runs it on data. junctor uses it to find optima, lsmarkov
and mntools to report how far a network can be from the optimum.
"""
