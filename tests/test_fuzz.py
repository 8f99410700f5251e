"""Readers of files that are not what they should be: invented ones, and those that the fuzzer has found."""

import random
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cliquewise.common.errors import MAX_MESSAGE_LENGTH, DataError
from cliquewise.common.files.scorefile import looks_like_scores
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.models.model_file import looks_like_model
from cliquewise.mplearn.blanketfile import read_blankets
from tests.fuzz.__main__ import damaged, trouble
from tests.fuzz.readers import READERS, TOKENS

EXAMPLES = settings(
    max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
WORDS = st.sampled_from([token.decode("utf-8", "replace") for token in TOKENS if len(token) < 30]) | st.text(max_size=6)
LINES = st.lists(st.lists(WORDS, max_size=6), max_size=8)


@pytest.mark.parametrize("name", READERS)
def test_good_files_are_accepted(tmp_path, name):
    for number, content in enumerate(READERS[name].corpus):
        path = tmp_path / str(number)
        path.write_bytes(content)
        READERS[name].check(str(path))


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
@EXAMPLES
@given(lines=LINES, separator=st.sampled_from([" ", ",", "\t", ""]), head=st.integers(0, 60))
def test_invented_files_are_refused_or_right(tmp_path, name, lines, separator, head):
    """The beginning of a good file, and then lines of words that mean something in some format."""
    path = tmp_path / "file"
    text = "\n".join(separator.join(line) for line in lines)
    path.write_bytes(READERS[name].corpus[0][:head] + text.encode("utf-8", "surrogatepass"))
    assert trouble(READERS[name], path) is None


@pytest.mark.parametrize("name", READERS)
def test_damaged_files_are_refused_or_right(tmp_path, name):
    rng, path = random.Random(name), tmp_path / "file"
    every = [content for reader in READERS.values() for content in reader.corpus]
    for _ in range(25):
        path.write_bytes(damaged(rng, READERS[name].corpus, every))
        assert trouble(READERS[name], path) is None


def test_a_message_does_not_quote_all_of_a_file(tmp_path):
    path = tmp_path / "net"
    path.write_text("0," + "[" * 100_000 + "\n")
    with pytest.raises(DataError) as error:
        read_graph(str(path))
    assert len(str(error.value)) < 2 * MAX_MESSAGE_LENGTH and "give the data if this is a name" in str(error.value)


def test_numbers_too_long_for_python_are_refused(tmp_path):
    digits, path = "9" * 5000, tmp_path / "file"
    path.write_text(f"0,{digits}\n")
    with pytest.raises(DataError, match="where an index was expected"):
        read_graph(str(path))
    path.write_text(f"0: {digits}\n")
    with pytest.raises(DataError, match="expected `variable: member,member,...`"):
        read_blankets(str(path), 3)
    assert not looks_like_scores(f"{digits} {digits}\n0\n".encode())


@pytest.mark.parametrize("text", ["# \t" * 5000, "<?xml " * 20_000, "/* " * 20_000, "<!-- -->" * 20_000 + "x"])
def test_files_that_are_not_models_are_refused_at_once(tmp_path, text):
    path = tmp_path / "file"
    path.write_text(text)
    began = time.process_time()
    assert not looks_like_model(str(path))
    assert time.process_time() - began < 1.0
