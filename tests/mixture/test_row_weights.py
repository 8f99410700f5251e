"""Rows with weights in mixtures and groups: rounds against a slow twin, rows that are drawn, the commands."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.data.dataset import RowWeights
from cliquewise.common.data.incomplete import without_missing_state
from cliquewise.common.data.merging import merged
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.mixture import search as module
from cliquewise.mixture import structural_em
from cliquewise.mixture.em import MixtureEM, fit_on_all_rows
from cliquewise.mixture.latent_classes import latent_classes
from cliquewise.mixture.pool import FOLDS, choice, row_folds
from cliquewise.mixture.rows import IncompleteRows, rows_of
from cliquewise.mixture.search import MixtureConfig, MixtureSearch
from tests.as_oracles import tables_of
from tests.mixture.test_em import ESS
from tests.mixture.test_missing import as_parts, check_tables, rows_with_none
from tests.mixture.test_pool import candidate
from tests.mnmodel.test_cluster import two_kinds
from tests.oracles import mixtures
from tests.random_inputs import dataset_of
from tests.reading import read_csv

STRUCTURES = (((), (0,), (0, 1), ()), ((1,), (), (), (0, 2)))
NAMES = [f"x{v}" for v in range(14)]


@pytest.fixture(autouse=True)
def few_turns(monkeypatch):
    """Few turns with few rounds."""
    monkeypatch.setattr(module, "TURN_SHARE", 0.25)
    monkeypatch.setattr(module, "SIZES", (1.0, 10.0, 100.0))
    monkeypatch.setattr(structural_em, "STRUCTURES", 2)
    monkeypatch.setattr(structural_em, "EM_ROUNDS", 3)


@pytest.fixture
def weighted(tmp_path):
    """Reads random rows of four columns with weights; the data, its single rows, their weights as fractions."""

    def read(seed, scale, has_missing=False, n_rows=40):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, (2, 3, 2, 2), (n_rows, 4))
        codes[:3] = [[0, 0, 0, 0], [1, 1, 1, 1], [0, 2, 1, 0]]
        cells = codes.astype(str)
        if has_missing:
            cells[3:][rng.random((n_rows - 3, 4)) < 0.25] = "?"
        weights = [f"{w:.3f}" for w in rng.uniform(0.1, 3, n_rows)]
        rows = [",".join([*row, weight]) for row, weight in zip(cells.tolist(), weights, strict=True)]
        (tmp_path / "t.csv").write_text("a,b,c,d,w\n" + "\n".join(rows) + "\n")
        data = read_csv(tmp_path / "t.csv", weights="w", weight_scale=scale, missing="state", warn=False)
        exact = [Fraction(weight) for weight in weights]
        if scale == "rows":
            exact = [weight * n_rows / sum(exact) for weight in exact]
        single = [[-1 if cell == "?" else int(cell) for cell in row] for row in cells.tolist()]
        return without_missing_state(data), single, exact

    return read


@pytest.mark.parametrize("has_missing", [False, True])
@pytest.mark.parametrize("scale", ["rows", "none"])
@pytest.mark.parametrize("seed", range(4))
def test_rounds_are_those_of_each_row_with_its_weight(weighted, seed, scale, has_missing):
    data, single, exact = weighted(seed, scale, has_missing)
    rows, arity = rows_of(data, data.codes[:0], 1), data.arity.tolist()
    assert isinstance(rows, IncompleteRows) == has_missing
    assert rows.row_counts.sum() == pytest.approx(float(sum(exact)), rel=1e-13)
    start = np.random.default_rng(seed).dirichlet(np.ones(2), data.n_stored).T
    fitted = MixtureEM(rows, STRUCTURES, 3.0, ESS)
    parts = fitted.fit(start)
    every, counts = rows_with_none(np.array(single)), list(map(float, exact))
    if not has_missing:
        of_row = start[:, data.rows.place].tolist()
        slow = mixtures.fitted_parts(single, counts, of_row, STRUCTURES, arity, ESS, 3.0)
        logs = [mixtures.mixture_log(row, slow, arity) for row in single]
        assert parts.logs[data.rows.place] == pytest.approx(logs)
        assert rows.row_counts @ parts.logs == pytest.approx(sum(w * log for w, log in zip(counts, logs, strict=True)))
        return
    priors = [tables_of(fit_on_all_rows(rows, parents, ESS)) for parents in STRUCTURES]
    for _ in range(2):
        slow = as_parts(parts)
        logs = [mixtures.observed_log(row, slow, arity) for row in every]
        assert rows.row_counts @ parts.logs == pytest.approx(sum(w * log for w, log in zip(counts, logs, strict=True)))
        slow = mixtures.expected_parts(every, counts, slow, arity, priors, 3.0)
        parts = fitted.fit(parts.responsibilities(rows), parts)
        assert parts.shares == pytest.approx([share for share, *_ in slow])
        check_tables(parts, slow)


@pytest.mark.parametrize("has_missing", [False, True])
def test_rows_are_drawn_whole_and_keep_their_weights(weighted, has_missing):
    data, _, exact = weighted(7, "none", has_missing)
    rows = rows_of(data, data.codes[:0], 1)
    drawn = [rows.bootstrap(np.random.default_rng(seed)) for seed in range(2000)]
    assert all(counts.sum() == len(exact) for counts in drawn)
    assert np.mean(drawn, axis=0) == pytest.approx(np.ones(len(exact)), abs=0.15)  # none is drawn by its weight
    for counts in drawn[:20]:
        expected = np.zeros(data.n_stored)
        for place, often, weight in zip(data.rows.place, counts, exact, strict=True):
            expected[place] += often * float(weight)
        sample = rows.sample(counts)
        assert sample.total == pytest.approx(expected.sum())
        for v in range(data.n):  # missing cells are completed, each completion with its part of the weight
            known = data.codes[:, v] >= 0
            for state in range(data.arity[v]):
                found = sample.weights[sample.codes[:, v] == state].sum()
                least = expected[known & (data.codes[:, v] == state)].sum()
                assert found == pytest.approx(least) if not has_missing else found > least - 1e-9


def test_folds_have_whole_rows(weighted):
    data, _, exact = weighted(3, "none")
    folds = row_folds(data)
    assert folds.shape == (FOLDS, data.n_stored) and folds.sum(axis=0) == pytest.approx(data.weights)
    dealt = [[] for _ in range(FOLDS)]
    for number, row in enumerate(sorted(range(len(exact)), key=lambda row: data.rows.place[row])):
        dealt[number % FOLDS].append(row)
    for fold, own in zip(folds, dealt, strict=True):
        expected = np.zeros(data.n_stored)
        for row in own:
            expected[data.rows.place[row]] += float(exact[row])
        assert fold == pytest.approx(expected)


def test_the_gain_is_that_of_held_out_rows(weighted):
    """Against a slow version: each row with its weight, by the weights of networks from the other folds."""
    data, _, exact = weighted(5, "rows", n_rows=60)
    rng, place = np.random.default_rng(2), data.rows.place
    several = [candidate("search", rng.normal(-3, 1, data.n_stored), data.weights) for _ in range(3)]
    found = choice(several, row_folds(data), 10)
    rows = sorted(range(60), key=lambda row: place[row])
    logs = np.array([one.logs for one in several])[:, place[rows]]
    alone, weight = max(several, key=lambda one: one.value).logs[place[rows]], np.array(list(map(float, exact)))[rows]
    gains = np.zeros(60)
    for fold in range(5):
        inside = np.arange(60) % 5 == fold
        shares = np.full(3, 1 / 3)
        for _ in range(3000):
            terms = shares[:, None] * np.exp(logs[:, ~inside])
            shares = (terms / terms.sum(axis=0)) @ weight[~inside] / weight[~inside].sum()
        gains[inside] = np.log(shares @ np.exp(logs[:, inside])) - alone[inside]
    mean = weight @ gains / weight.sum()
    assert found.gain == pytest.approx(mean, abs=1e-3)
    squares = weight @ (gains - mean) ** 2
    assert found.error == pytest.approx(np.sqrt(squares / (weight.sum() - 1) / weight.sum()), abs=1e-3)


def test_latent_classes_count_in_rows():
    """Counts in thirds of a row give the same classes as counts in rows."""
    data = merged(dataset_of(two_kinds(200)[0]))
    thirds = replace(data, counts=3 * data.counts, denominator=3)
    one, other = (latent_classes(each, 3, np.random.default_rng(1)) for each in (data, thirds))
    assert one == pytest.approx(other)


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("share", [0.0, 0.05])
def test_rows_of_equal_weights_are_rows(share):
    """The whole search, where all rows are different: the same random numbers meet the same rows."""
    found = []
    for weight in (1, 3):
        both = []
        for seed in (1, 2):
            codes = np.unique(two_kinds(120, seed)[0], axis=0)
            data = dataset_of(codes)
            if share:
                states = tuple((*labels, "?") for labels in data.states)
                is_missing = np.random.default_rng(seed).random(codes.shape) < share
                data = replace(data, codes=np.asfortranarray(np.where(is_missing, 2, data.codes)), states=states)
            data = without_missing_state(merged(data))
            if weight > 1:
                rows = RowWeights(np.arange(data.n_stored, dtype=np.int32), np.full(data.n_stored, 3), True)
                data = replace(data, counts=3 * data.counts, denominator=3.0, rows=rows)
            both.append(data)
        with Monitor(Limits(iterations=2_000), threads=1) as monitor:
            search = MixtureSearch(*both, MixtureConfig(seed=3), monitor)
            found.append((search.run(), [(one.kind, one.settings, one.value) for one in search.candidates]))
    (one, log), (other, log_of_thirds) = found
    assert [part[0] for part in log] == [part[0] for part in log_of_thirds]
    assert [part[2] for part in log] == pytest.approx([part[2] for part in log_of_thirds], rel=1e-6)
    assert one.gain == pytest.approx(other.gain, abs=1e-5) and one.error == pytest.approx(other.error, abs=1e-5)


@pytest.fixture
def tables(workplace):
    """Training and validation rows, with weights, counts, halves of counts; and the rows one by one."""
    files = {}
    for name, seed in (("train", 1), ("valid", 2)):
        codes, kind = two_kinds(200, seed)
        rng = np.random.default_rng(seed)
        weights = np.where(kind == 1, rng.uniform(1, 3, 200), rng.uniform(0.2, 0.6, 200))
        counts = rng.integers(0, 4, 200)
        lines = [",".join(map(str, row)) for row in codes.tolist()]
        rows = [f"{line},{w:.4f},{k},{k / 2}" for line, w, k in zip(lines, weights, counts, strict=True)]
        files[f"{name}.csv"] = "\n".join([",".join([*NAMES, "w", "k", "half"]), *rows]) + "\n"
        written = [line for line, k in zip(lines, counts.tolist(), strict=True) for _ in range(k)]
        files[f"{name}-long.csv"] = "\n".join([",".join(NAMES), *written]) + "\n"
        files[f"{name}-equal.csv"] = files[f"{name}-long.csv"].replace("\n", ",0.25\n").replace("x13,0.25", "x13,w")
    return workplace(files)


WORDS = ("--iterations", 1_000, "-q")


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("rule", ["refuse", "em"])
def test_whole_weights_are_counts_are_rows(run, tables, rule):
    words = (*WORDS, "--missing", rule, "-o", "m.json")
    if rule == "em":
        for path in Path(".").glob("*.csv"):
            head, first, *others = path.read_text().splitlines()
            path.write_text(
                "\n".join([head, first, *(f"?{line[1:]}" if k % 9 == 4 else line for k, line in enumerate(others))])
                + "\n"
            )
        long, valid = (run_rows(f"{name}.csv") for name in ("train", "valid"))
        Path("train-long.csv").write_text(long), Path("valid-long.csv").write_text(valid)
    texts = []
    for line in (
        ("train.csv", "valid.csv", "--counts", "k", "--drop", "w,half"),
        ("train.csv", "valid.csv", "--weights", "k", "--weight-scale", "none", "--drop", "w,half"),
        ("train-long.csv", "valid-long.csv"),
    ):
        done = run("mnmodel", "mixture", *line, *words)
        assert done.code == 0, done.stderr
        texts.append(Path("m.json").read_text())
    assert texts[0] == texts[1] == texts[2]
    groups = []
    for line in (("--counts", "k"), ("--weights", "k", "--weight-scale", "none")):
        done = run(
            "mnmodel", "cluster", "train.csv", "--drop", "w,half", *line, "--missing", rule, "-q", "-o", "g-{}.csv"
        )
        assert done.code == 0, done.stderr
        groups.append([Path(f"g-{k}.csv").read_text() for k in (1, 2)])
    assert groups[0] == groups[1]


def run_rows(path):
    """The rows of a table with a column of counts, the last but one, one by one."""
    head, *lines = Path(path).read_text().splitlines()
    cells = [line.split(",") for line in lines]
    rows = [",".join(row[:-3]) for row in cells for _ in range(int(row[-2]))]
    return "\n".join([",".join(head.split(",")[:-3]), *rows]) + "\n"


def test_equal_weights_have_no_effect(run, tables):
    texts = []
    for name, more in (("equal", ("--weights", "w")), ("long", ())):
        done = run("mnmodel", "mixture", f"train-{name}.csv", f"valid-{name}.csv", *more, *WORDS, "-o", "m.json")
        assert done.code == 0, done.stderr
        texts.append(Path("m.json").read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize("scale", ["rows", "none"])
def test_the_mixture_has_the_shares_of_the_weights(run, tables, scale):
    words = ("--weights", "w", "--weight-scale", scale)
    done = run("mnmodel", "mixture", "train.csv", "valid.csv", *words, "--drop", "k,half", *WORDS[:2], "-o", "m.json")
    assert done.code == 0, done.stderr
    head, *lines = Path("train.csv").read_text().splitlines()
    cells = np.array([line.split(",") for line in lines], float)
    weights = cells[:, head.split(",").index("w")]
    rows = run("mnmodel", "marginals", "m.json", "-q").stdout.splitlines()[1:]
    marginals = {(name, state): float(p) for name, state, p in (line.split(",") for line in rows)}
    shares = {name: weights @ cells[:, v] / weights.sum() for v, name in enumerate(NAMES)}
    plain = {name: cells[:, v].mean() for v, name in enumerate(NAMES)}
    assert max(abs(marginals[name, "1"] - shares[name]) for name in NAMES) < 0.03
    assert max(abs(plain[name] - shares[name]) for name in NAMES) > 0.15
    assert json.loads(Path("m.json").read_text())["header"]["rows"] == 200
    found = run("mnmodel", "loglik", "m.json", "valid.csv", *words, "-q").stdout.split()
    claimed = float(done.stderr.rsplit("mixture of all: ", 1)[1].split()[0])
    assert float(found[1]) == pytest.approx(claimed, abs=0.01)


@pytest.mark.parametrize("scale", ["rows", "none"])
def test_groups_keep_rows_and_weights(run, tables, scale):
    words = ("--weights", "w", "--weight-scale", scale, "--drop", "k,half")
    done = run("mnmodel", "cluster", "train.csv", *words, "-o", "g-{}.csv")
    assert done.code == 0, done.stderr
    written = [Path(f"g-{k}.csv").read_text().splitlines() for k in (1, 2)]
    assert written[0][0] == written[1][0] == ",".join([*NAMES, "w"])
    lines = [line.rsplit(",", 2)[0] for line in Path("train.csv").read_text().splitlines()[1:]]
    wanted = [f"{line.rpartition(',')[0]},{float(line.rpartition(',')[2]):.15g}" for line in lines]
    assert sorted(written[0][1:] + written[1][1:]) == sorted(wanted)
    for part in written:  # each in the order of the table
        places = [wanted.index(line) for line in part[1:]]
        assert places == sorted(places)
    sizes = sorted((len(part) - 1 for part in written), reverse=True)
    assert f"groups of {sizes[0]}, {sizes[1]} rows" in done.stderr


def test_what_is_refused(run, tables, refuse):
    for command, out in (("mixture train.csv valid.csv", "m.json"), ("cluster train.csv", "g-{}.csv")):
        line = f"mnmodel {command} -q -o {out}"
        refuse(f"{line} --weights no", 1, "train.csv: no column 'no' of weights")
        refuse(f"{line} --weights w --counts k", 2, "--counts and --weights: give one of them")
        refuse(f"{line} --weight-scale none", 2, "--weight-scale needs --weights")
    refuse("mnmodel mixture train.csv valid-long.csv -q --weights w --drop k,half -o m.json", 1, "valid-long.csv")
