"""The best chordal network of a few variables: the recurrences of junctor's dynamic program on full tables.

junctor adds what larger problems need: bounds, cutting planes. lsmarkov asks here where there are few variables.
"""
