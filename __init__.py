"""Learn Markov networks, and Bayesian networks of bounded treewidth, from discrete data.

The folder of the project is the package `cliquewise`; each command is a folder in it, and `common` is below them.
Importing the package imports nothing else.
"""
