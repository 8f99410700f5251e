"""Shared by exact methods: recurrences over sets of variables on tables, SCIP, and searches parallel to a solver.

The tables contain all states, as in lsmarkov for few variables, or those that junctor's bounds leave.
"""
