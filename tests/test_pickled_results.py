"""Results in Python are sent to other processes and kept in files: they can be pickled, copied, compared and hashed."""

import copy
import pickle

import pytest

import cliquewise

ROWS = {"a": ["x", "y", "x", "y"] * 5, "b": ["p", "q", "p", "q"] * 5, "c": ["u", "u", "v", "u"] * 5}
LIBRARIES = {"dict": dict, "pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


def table_of(library):
    """The rows as a dict, or as a table of a library."""
    kind = LIBRARIES[library]
    return ROWS if kind is dict else getattr(pytest.importorskip(library), kind)(ROWS)


@pytest.mark.parametrize("library", LIBRARIES)
def test_results_of_every_kind_of_table(library):
    table = table_of(library)
    network = cliquewise.lsmarkov(table)
    model = cliquewise.fit(table, network)
    for again in (pickle.loads(pickle.dumps(network)), copy.deepcopy(network)):
        assert again == network and hash(again) == hash(network) and type(again.edges) is type(network.edges)
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert again.query("a", {"b": "p"}) == model.query("a", {"b": "p"})
        assert type(again.sample(2)) is type(model.sample(2))
    study = cliquewise.learn(table, time_limit=1)
    again = pickle.loads(pickle.dumps(study))
    assert again.links == study.links and type(again.probabilities.edges) is type(network.edges)
    described = pickle.loads(pickle.dumps(cliquewise.describe(table)))
    assert str(described) == str(cliquewise.describe(table))


def test_results_with_arrays_are_equal_only_to_themselves():
    data = cliquewise.read_csv(ROWS)
    model = cliquewise.fit(data, cliquewise.lsmarkov(data))
    for one in (data, model, model.network, cliquewise.describe(ROWS)):
        two = copy.deepcopy(one)
        assert one == one and one != two and len({one, two, one}) == 2


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_an_estimator(library):
    pytest.importorskip("sklearn")
    table = table_of(library)
    fitted = cliquewise.ChordalNetwork().fit(table)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.score(table) == fitted.score(table) and type(again.sample(2)) is type(table)
