"""What exact methods share: recurrences over sets of variables on tables, SCIP, and searches beside a solver.

The tables contain all states, as lsmarkov asks for where there are few variables, or those that junctor's bounds leave.
"""
