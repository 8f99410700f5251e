"""Sets of variables as bits: their operations, their orders."""
