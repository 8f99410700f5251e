"""Tests of cliquewise, one file per module; shared code is in `conftest.py` and `random_inputs.py`."""
