"""What every learner needs while it runs: the monitor, random numbers, SCIP, the machine, the result."""
