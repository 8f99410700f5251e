"""What surrounds the run of a learner: monitor, listener, checkpoint, the machine, the result."""
