"""Reference figures that the bench prints for comparison: best runs, original programs, data/papers."""

from tests.bench.published import best, column

# best of the reference runs
REFERENCE = {
    "autos": -1504.777,
    "flag": -2718.395,
    "horse": -4502.29,
    "soybean": -2900.40,
    "bands": -5087.719,
    "steel": -18587.61,
    "wdbc": -6619.03,
    "sponge": -1768.71,
    "lung-cancer": -1218.90,
    "promoters": -8326.461,
    "spectf": -8047.42,
    "connect-4": -1013585.0,
    "kddcup": -72875.50,
    "msweb": None,
    "mildew10000": -455102.8984,
}
# name: (paper's best of Tables 2 and 3, best of the reference runs or None)
LSMARKOV = {name: (best(name), reference) for name, reference in REFERENCE.items()}

# score of the spanning tree
TREES = {
    "Wine": -1274.1452,
    "Voting": -4653.9151,
    "Hepatitis": -1343.0076,
    "Heart": -2454.7095,
    "autos": -1711.1058,
    "Horse": -4587.7313,
    "Flag": -2810.7871,
    "water1000": -13321.6110,
    "alarm": -14637.6580,
    "bands": -5252.1142,
}
# name: (spanning tree, published optimal gain with cliques of at most 4)
COARSEN = {name: (TREES[name], gain) for name, gain in column("coarsen-table2", "GOBNILP").items()}

# ess 1, cliques of at most 4, files of data/coarsen: proved by cutting planes
PROVED = {
    "Wine": -1260.555607,
    "Voting": -4642.765929,
    "Hepatitis": -1339.344096,
    "Heart": -2422.933497,
    "autos": -1573.228453,
    "Horse": -4560.270800,
    "Flag": -2777.143507,
    "water1000": -13286.9566,
    "alarm": -14438.156,
    "bands": -5181.806017,
}

# name: search steps per second of the original program
STEPS = {"flag": 315, "autos": 278, "bands": 174, "soybean": 121, "mildew10000": 228}

# (data, ess): {n: optimum}
EXACT = {
    ("Voting", 10): {10: -2401.555018, 12: -3054.121440, 14: -3601.657988, 15: -3828.067525, 16: -4138.240386},
    ("Voting", 1): {10: -2470.508074, 12: -3133.768757, 14: -3718.218621, 15: -3959.979264},
    ("autos", 10): {10: -780.212462, 12: -855.183067, 14: -977.996211},
    ("autos", 1): {10: -789.446366, 12: -872.389353, 14: -1000.743139},
    ("Flag", 10): {10: -1169.653960, 12: -1397.003186, 14: -1605.210036},
    ("Flag", 1): {10: -1183.088745, 12: -1423.328176, 14: -1644.672341},
    ("alarm", 10): {10: -4155.538258, 12: -4895.690655, 14: -5310.376039, 15: -5967.621817},
    ("alarm", 1): {10: -4169.614002, 12: -4918.645179, 14: -5320.257740},
}

# the paper's Table 1 on data sets that are identical: first 17 columns, ess 10
_OPTIMA = column("lsmarkov-table1", "Junctor")
TABLE_1 = {
    name: _OPTIMA[name]
    for name in (
        *("promoters", "horse", "flag", "wdbc", "soybean", "bands"),
        *("spectf", "lung-cancer", "mildew10000", "autos", "steel", "sponge"),
    )
}

# name: (file, variables, rows, largest set)
DMSCORE = {
    "insurance": ("lsmarkov/insurance10000.csv", 20, 10000, 20),
    "mildew": ("lsmarkov/mildew10000.csv", 20, 10000, 20),
    "kddcup": ("lsmarkov/kddcup.csv", 60, 1000, 4),
    "qsar": ("coarsen/qsar_androgen_receptor.csv", 60, 1000, 4),
}

# BLIP's k-MAX, treewidth 3, 3 parents, ess 10, 15 s of search on two cores: score
K_MAX = {"Voting": -4482.655, "alarm": -14374.161}
