"""Mutation testing: small errors are put into the program, one at a time, and the tests have to notice each."""
