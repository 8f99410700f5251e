"""dmscore: from data to a file with the scores of all sets of variables, as other learners read them.

After the program of the same name that comes with Junctor and Adjunct (Niinimaki, 2015), whose command line it
takes. Example: `dmscore data.csv 10 -o data.score`.
"""
