"""Services for running learners: the monitor, random numbers, SCIP, the machine, the result."""
