"""Tests of cliquewise, one file a module; what they share stands in `conftest.py` and `random_inputs.py`."""
