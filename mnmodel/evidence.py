"""The evidence about a model's variables, from the options `--given` and `--given-rows`, `--likelihood` and so on."""

from __future__ import annotations

import csv
import logging
import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import counted
from ..common.data.labels import is_interval
from ..common.data.reading import Reading
from ..common.errors import DataError, UsageError, shown_path
from ..common.files.input_stream import read_text
from ..common.models.model_header import header_of
from ..common.models.model_names import state_of, variables_of
from ..common.models.probabilities import numbers_of
from .intervention import NEED_CAUSES, UNDIRECTED, mutilated_network
from .soft_evidence import proper_distribution, soft_evidence_likelihoods
from .uai_evidence import read_evidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


_QUOTED_LATER = re.compile(r',\s+"')
_ENDS_IN_NUMBER = re.compile(r"=\s*[-+]?\d+$", re.ASCII)
LOG = logging.getLogger("cliquewise")


@dataclass(frozen=True)
class EvidenceOptions:
    """Evidence on the command line: the same for all answers, and with a table some that differs from row to row.

    Attributes
    ----------
    given : tuple of str
        `NAME=STATE,...` each.
    likelihood : tuple of str
        `NAME=NUMBER,...` each, a number for every state.
    soft : tuple of str
        `NAME=NUMBER,...` each, the distribution that the variable then has.
    do : tuple of str
        `NAME=STATE,...` each: variables that are set from outside.
    evid : str or None
        An evidence file of the UAI competitions.
    given_rows : str or None
        A CSV with further evidence in each row.
    separator : str
        Of the cells in it.
    skip_bad_rows : bool
        Whether a row that cannot be answered has an empty answer, and a line of the log.
    """

    given: tuple = ()
    likelihood: tuple = ()
    soft: tuple = ()
    do: tuple = ()
    evid: str | None = None
    given_rows: str | None = None
    separator: str = "auto"
    skip_bad_rows: bool = False

    def __bool__(self) -> bool:
        return bool(self.given or self.likelihood or self.soft or self.do or self.evid)

    def read(self, network: Any, path: str) -> ModelEvidence:
        """The evidence, by the model's variables and states.

        Parameters
        ----------
        network
        path
            Its file, for messages.

        Raises
        ------
        CliquewiseError
            Names, states or numbers that do not fit the model, a broken file, or a variable that is known twice; an
            intervention in a model without causal directions.
        """
        fixed, done = _states(network, path, self.given, "given"), _states(network, path, self.do, "do")
        refuse_both(network, done, fixed, "given by --given and set by --do", path)
        if self.evid is not None:
            listed = read_evidence(self.evid, [len(labels) for labels in network.states])
            refuse_both(network, listed, fixed, "given by --given and by --evid", path)
            refuse_both(network, listed, done, "given by --evid and set by --do", path)
            fixed |= listed
        fixed |= done
        likelihoods = _numbers(network, path, self.likelihood, "likelihood")
        soft = {v: proper_distribution(network.names[v], values, path) for v, values in
                _numbers(network, path, self.soft, "soft").items()}  # fmt: skip
        refuse_both(network, likelihoods, soft, "given by --likelihood and by --soft", path)
        codes, unknown = np.full((1, network.n), -1, dtype=np.int32), dict[int, str]()
        if self.given_rows is not None:
            codes, variables, unknown = _given_rows(network, self.given_rows, self.separator)
            refuse_both(network, done, variables, f"set by --do and given in {self.given_rows}", path)
            refuse_both(network, fixed, variables, f"given by --given and in {self.given_rows}", path)
            refuse_both(network, likelihoods, variables, f"given in {self.given_rows} and has a likelihood", path)
        refuse_both(network, likelihoods, fixed, "given and has a likelihood", path)
        refuse_both(network, soft, fixed, "given and has soft evidence", path)
        for v, k in fixed.items():
            codes[:, v] = k
        if done:
            _check_causal(network, path)
            network = mutilated_network(network, done)
        if soft:
            likelihoods = soft_evidence_likelihoods(network, codes, soft, likelihoods, path)
            _log_likelihoods(network, {v: likelihoods[v] for v in soft})
        return ModelEvidence(network, path, codes, likelihoods, self, unknown)


def _given_rows(network: Any, path: str, separator: str) -> tuple[np.ndarray, Sequence[int], dict[int, str]]:
    """The evidence in the rows of a CSV, in terms of a model; columns that this does not have are named in the log.

    Returns
    -------
    (int32[rows, n], sequence of int, dict of int to str)
        States, -1 is not known; the variables of which a row may know the state; and the rows with a state that the
        model does not have, with the message for each.
    """
    from ..common.data.same_states import UNKNOWN
    from ..common.models.model_data import codes_for, read_rows, unknown_states

    data = read_rows(path, Reading(header="yes", separator=separator, arities="no", missing="state"))
    names = [name for name in data.names if name in network.names]
    variables = variables_of(network.names, names or data.names, path, "given")
    if len(names) < len(data.names):
        more = ", ".join(f"'{name}'" for name in data.names if name not in network.names)
        LOG.warning("%s: not in the model, and not used: %s", path, more)
    codes = codes_for(network, data, network.names)
    unknown = unknown_states(network, data, codes)
    codes[codes == UNKNOWN] = -1
    return codes, variables, unknown


@dataclass(frozen=True)
class ModelEvidence:
    """Evidence in terms of a model.

    Attributes
    ----------
    network : BayesianNetwork
        After the intervention of `--do`, if there is one.
    path
        Its file, for messages.
    codes : int32[rows, n]
        States; -1 is not known. One row without `--given-rows`.
    likelihoods : dict of int to float64[r]
    options : EvidenceOptions
        The options that gave it.
    unknown : dict of int to str
        Rows of the table with a state that the model does not have, and the message for each.
    """

    network: Any
    path: str
    codes: np.ndarray
    likelihoods: dict
    options: EvidenceOptions
    unknown: dict[int, str] = field(default_factory=dict)

    @property
    def has_table(self) -> bool:
        """Whether there is a table of evidence; each of its rows has an answer."""
        return self.options.given_rows is not None

    def number(self, value: float) -> str:
        """A number of an answer as text; for a row without an answer nan, or nothing with `--skip-bad-rows`."""
        return "" if self.options.skip_bad_rows and math.isnan(value) else f"{value:.10g}"

    def check(self, logs: np.ndarray) -> np.ndarray:
        """Which rows can be answered: those with states of the model and evidence that is possible.

        Parameters
        ----------
        logs : float64[rows]
            Log probability of each row.

        Returns
        -------
        bool[rows]
            The log has the first row without an answer, and with `--skip-bad-rows` each of them.

        Raises
        ------
        DataError
            No row can be answered, without `--skip-bad-rows`.
        """
        answered = ~np.isneginf(logs)
        answered[list(self.unknown)] = False
        if self.options.skip_bad_rows:
            for row in np.flatnonzero(~answered).tolist():
                LOG.warning("%s: %s", self.options.given_rows, self.unknown.get(row) or self._impossible(row))
        elif not answered.all():
            row = int((~answered).argmax())
            message = self.unknown.get(row) or self._impossible(row)
            if not answered.any():
                raise DataError(message, self.options.given_rows or self.path)
            failed = int((~answered).sum())
            LOG.warning("%s: %d of %d rows have no answer; %s", self.options.given_rows, failed, len(logs), message)
        if self.options and not self.has_table and math.isnan(logs[0]):
            LOG.info("log probability of the evidence: not feasible")
        elif self.options and not self.has_table:
            if self.options.likelihood:
                LOG.info("log expected likelihood of the evidence %.6f; above 0 if likelihoods exceed 1", logs[0])
            else:
                after = ", after --do" if self.options.do else ""
                LOG.info("log probability of the evidence%s %.6f", after, logs[0])
        return answered

    def _impossible(self, row: int) -> str:
        """The message for a row of probability zero."""
        network = self.network
        findings = [f"{network.names[v]}={network.states[v][k]}" for v, k in enumerate(self.codes[row]) if k >= 0]
        findings += [f"likelihood of {text}" for text in self.options.likelihood]
        where = f"row {row + 1}: " if self.has_table else ""
        return f"{where}the evidence has probability zero: {', '.join(findings)}"

    def check_unknown(self, targets: Iterable[int]) -> None:
        """Refuse targets (ints) that are given: DataError with the name."""
        given = [v for v in targets if (self.codes[:, v] >= 0).any()]
        if given:
            name = self.network.names[min(given)]
            advice = "leave one of them out"
            if self.has_table:
                advice += "; mnmodel predict predicts a column of a table from the others"
            raise DataError(f"variable '{name}' is both queried and given; {advice}", self.path)


def evidence_of(given: Iterable[str], option: str = "--given") -> list[str]:
    """The `NAME=STATE` of every `--given` (or `--do`): list of str; UsageError for one that has none."""
    pairs: list[str] = []
    for text in given:
        parts = split_names(text)
        if not parts:
            raise UsageError(f"{option} '{text}': expected NAME=STATE")
        for k, part in enumerate(parts):  # an interval has a comma that is no separator
            if k and _cut_interval(pairs[-1], part):
                pairs[-1] += f",{part}"
            elif k and part.isdigit() and _ENDS_IN_NUMBER.search(pairs[-1]):
                number = f"{pairs[-1]},{part}"
                raise UsageError(f"{option} '{part}': expected NAME=STATE; if {number} is one number, write a point")
            else:
                pairs.append(part)
    return pairs


def _cut_interval(left: str, right: str) -> bool:
    """Whether two texts are an interval `NAME=[135,150)` that was split at its comma."""
    begin = left.rfind("=")
    return begin >= 0 and is_interval("".join(f"{left[begin + 1 :]},{right}".split()))


def split_names(text: str) -> list[str]:
    """Names separated by commas, quoted as in a CSV if they contain one; blanks belong to them: list of str."""
    try:
        return next(csv.reader([_QUOTED_LATER.sub(r',"', text)], strict=True), [])
    except csv.Error as error:
        raise UsageError(f"'{text}' is not a list of names separated by commas: {error}") from None


def as_named(known: Sequence[str], name: str) -> str:
    """A name as the model has it: without the blanks around it, if it has none with them."""
    return name if name in known else name.strip()


def _states(network: Any, path: str, given: Iterable[str], option: str) -> dict[int, int]:
    """The states in the texts of `--given` or `--do`, by variable."""
    pairs = [_name_and_state(network, pair, f"--{option}") for pair in evidence_of(given, f"--{option}")]
    found = variables_of(network.names, [name for name, _ in pairs], path, {"do": "set by --do"}.get(option, option))
    return {v: state_of(network, v, label, path) for v, (_, label) in zip(found, pairs, strict=True)}


def _check_causal(network: Any, path: str) -> None:
    """Refuse interventions in models whose arcs, if any, are not causal: UsageError with the kind."""
    from ..common.models.mixture import Mixture
    from ..common.models.uai import is_markov

    what = "a mixture of networks, whose class joins all variables" if isinstance(network, Mixture) else None
    text = read_text(path, "a Bayesian network")
    if what is None and header_of(text).get("network") == "chordal":
        what = UNDIRECTED
    if what is None and is_markov(text):
        what = "a Markov network, which has no directions"
    if what is not None:
        raise UsageError(f"--do: {shown_path(path)} is {what}; {NEED_CAUSES}")


def _name_and_state(network: Any, pair: str, option: str) -> tuple[str, str]:
    """`NAME=STATE`, split so that the name is one of the model's, otherwise at the first `=`; without blanks there."""
    splits = [(pair[:i], pair[i + 1 :]) for i, character in enumerate(pair) if character == "="]
    if not splits:
        raise UsageError(f"{option} '{pair}': expected NAME=STATE")
    for name, label in splits:
        name = as_named(network.names, name)
        if name in network.names:
            states = network.states[network.names.index(name)]
            return name, label if label in states else label.strip()
    return splits[0][0].strip(), splits[0][1]


def _numbers(network: Any, path: str, texts: Sequence[str], option: str) -> dict[int, np.ndarray]:
    """The numbers of every `--likelihood` or `--soft`: dict of int to float64[r]."""
    plain = [",".join(split_names(text)) if text.endswith('"') else text for text in texts]  # quoted as in a CSV
    parts = [text.rpartition("=") for text in plain]
    numbers = []
    for text, (_, equals, list_of) in zip(texts, parts, strict=True):
        try:
            numbers.append(numbers_of(list_of.split(",")))
        except ValueError:
            equals = ""
        if not equals or not all(math.isfinite(number) and number >= 0 for number in numbers[-1]):
            raise UsageError(f"--{option} '{text}': expected NAME=NUMBER,..., numbers of at least 0")
        if not any(numbers[-1]):
            raise UsageError(f"--{option} '{text}': all are zero, so no state is possible; give one above 0")
    what, use = {
        "likelihood": ("likelihoods", "given a likelihood"),
        "soft": ("probabilities", "given soft evidence"),
    }[option]
    found = variables_of(network.names, [as_named(network.names, name) for name, _, _ in parts], path, use)
    for v, values in zip(found, numbers, strict=True):
        if len(values) != len(network.states[v]):
            labels = ", ".join(network.states[v])
            problem = f"'{network.names[v]}' has {len(values)} {what} and {counted(len(network.states[v]), 'state')}"
            raise DataError(f"variable {problem}; give one for each of {labels}", path)
    return {v: np.array(values) for v, values in zip(found, numbers, strict=True)}


def _log_likelihoods(network: Any, likelihoods: dict[int, np.ndarray]) -> None:
    """Log the likelihoods that are equivalent to soft evidence."""
    for v, values in likelihoods.items():
        equivalent = ",".join(f"{value:.6g}" for value in values / values.max())
        LOG.info("soft evidence: equivalent to --likelihood '%s=%s'", network.names[v], equivalent)


def refuse_both(network: Any, some: Iterable[int], others: Iterable[int], problem: str, path: str) -> None:
    """DataError, with the problem in words, if a variable has two kinds of evidence."""
    both = set(some) & set(others)
    if both:
        raise DataError(f"variable '{network.names[min(both)]}' is {problem}; leave one of them out", path)
