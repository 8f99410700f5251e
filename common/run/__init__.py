"""Services for running learners: the monitor, SCIP, the machine, the result."""
