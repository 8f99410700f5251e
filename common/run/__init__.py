"""The environment of a learner's run: monitor, listener, checkpoint, resources of the machine, result."""
