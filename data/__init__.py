"""The data sets, and the reruns of the papers."""
