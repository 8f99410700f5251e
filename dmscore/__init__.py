"""dmscore: from data to a file with the scores of all sets of variables, which other learners can read.

After the program of the same name that comes with Junctor and Adjunct (Niinimaki, 2015), with the same command line.
Example: `dmscore data.csv 10 -o data.score`.
"""
