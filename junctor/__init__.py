"""junctor: optimal chordal Markov networks by dynamic programming or cutting planes.

Kangas, Niinimaki and Koivisto, "Learning Chordal Markov Networks by Dynamic Programming" (NIPS 2014), with faster
forms of the recurrences, and bounds that exclude sets from an optimum. For more variables an integer program is solved
by cutting planes (`common.bounds`).

    junctor data.score
    junctor data.csv 4
"""
