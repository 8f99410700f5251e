"""The words that lines of a header and options of commands have in common; the rest is in `result_header`."""

SCORE_TYPES = ("bdeu", "bic", "ll", "aic", "ebic", "qnml")
BLANKET_SCORES = ("mpl", "pic", "cmi")
PENALTIES = ("printed", "parameters")
MISSING_RULES = ("refuse", "state", "drop")  # treatment of missing cells
FIT_RULES = (*MISSING_RULES, "em")  # of a fit, which can also sum over missing cells
DECIMALS = ("point", "comma")
WEIGHT_SCALES = ("rows", "none")  # weights of rows are scaled to sum to their number, or not scaled
SEPARATORS = {"tab": "\t", "semicolon": ";", "comma": ",", "pipe": "|", "blank": " "}  # of the cells of data
STATES = "states-sha256"  # of a file that declares states
# how the data were read: the options by their names in Python, as keys of a header
READ_BY = {
    **{name: name for name in ("missing", "header", "separator", "arities", "decimal", "sheet", "counts", "weights")},
    "weight_scale": "weight-scale",
    "columns": "only-columns",
    "drop": "dropped-columns",
    "states": STATES,
    "na": "na",
    "same_states": "same-states",
}
# keys of a header whose values are numbers, which JSON has as such; with `network-` before them, too
NUMBERS = frozenset((
    *("score", "ess", "gamma", "threshold", "edge-prior", "lambda", "weight", "min-probability", "left-out"),
    *("max-clique", "treewidth", "max-parents", "upper-bound", "bound-given-blankets", "gap", "log-likelihood"),
    *("allowed-edges", "forbidden-edges", "required-edges", "required-arcs", "forbidden-arcs", "compelled-arcs"),
    *("tiers", "order", "roots", "leaves", "edges-added", "variables", "rows", "networks", "gain", "gain-error"),
    *("seed", "network-seed", "resample", "replicas", "starts", "rounds", "iterations", "draws", "burn-in", "ladders"),
    *("completions", "completion-seed", "completion-rounds", "completion-steps", "log-normaliser"),
    *("log-normaliser-error", "log-rooted-trees", "mean-score", "r-hat-score", "r-hat-edges", "error-of-other-edges"),
    *("effective-samples", "effective-samples-edges", "effective-samples-score", "largest-standard-error"),
))  # fmt: skip
