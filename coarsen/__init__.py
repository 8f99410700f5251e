"""coarsen: decomposable models by repeatedly adding the best set of edges.

Orfanides and Perez, "Learning decomposable models by coarsening" (PGM 2020): each step is an integer program, solved
here by SCIP. Also the paper's forced steps, and the greedy and spanning-forest methods it compares with.

    coarsen data.csv --max-clique 4
"""
