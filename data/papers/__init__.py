"""The harness of the reruns: measures runs, compares them with published values, makes tables, figures and a report."""
