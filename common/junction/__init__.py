"""Junction trees: sums and maxima over the missing cells of many rows at a time."""
