"""`mnmodel mixture`: reads the rows, searches, and writes the model; with its memory in advance."""

from __future__ import annotations

import hashlib
import logging
import math
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ..common.cli.command import host
from ..common.counted import counted
from ..common.data.incomplete import without_missing_state
from ..common.data.merging import merged
from ..common.data.reading import FOR_MODEL, MISSING, Reading
from ..common.errors import LimitError
from ..common.files.atomic_write import is_stdout
from ..common.files.fingerprint import data_digest
from ..common.files.input_stream import MAX_TEXT, read_text
from ..common.files.result_header import Claims
from ..common.learning.conclusion import Stopwatch, info_is_shown, links_line
from ..common.learning.options import OutputOptions
from ..common.learning.resources import Estimate
from ..common.learning.sources import InputOptions, LearningOptions
from ..common.learning.summary import length_of, log_summary
from ..common.learning.task import Task
from ..common.models.bayesnet import BayesianNetwork
from ..common.models.mixture import CLASS_NAME, Mixture, component_networks
from ..common.models.model_data import coded_beside, read_rows, read_states, with_states
from ..common.models.model_file import HIDDEN_CLASS, parse_model, write_model
from ..common.models.model_json import fits_in
from ..common.run.limits import Limits
from ..common.run.resources import check_rows
from ..common.run.result import INTERRUPTED, LOCAL_OPTIMUM
from ..common.scores.needs import Needs
from ..common.version import version
from ..lsmarkov.config import Config
from ..lsmarkov.size import needs_of
from .network import as_network
from .pool import EMPIRICAL, choice
from .rows import CACHE_BYTES
from .search import TURN_SECONDS, MixtureConfig, MixtureSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..common.data.dataset import Dataset
    from ..common.learning.options import CheckpointOptions
    from ..common.learning.resources import ResourceOptions
    from .pool import MixtureChoice

LOG = logging.getLogger("cliquewise")
COMPONENTS = 16  # of a candidate, as memory is estimated
ROW_ARRAYS = 3  # arrays by components and single rows
PARENT_STATES = 500  # joint states of the parents of a variable that rows have, likewise


@dataclass(frozen=True)
class MixtureFiles(Reading):
    """Input and output, and how tables are read.

    Attributes
    ----------
    train, valid
        CSV files.
    states_of
        Further CSV files, whose states are added.
    others
        Models that compete.
    path
        Of the model; None is standard output.
    fmt
        One of `common.models.model_file.MODEL_FORMATS`.
    """

    train: str
    valid: str
    states_of: tuple = ()
    others: tuple = ()
    path: str | None = None
    fmt: str = "json"

    def read(self) -> tuple[Dataset, Dataset]:
        """Training and validation rows, with the same states; both with counts."""
        is_em = self.missing == "em"
        reading = self.reading(missing="state") if is_em else self.reading()
        data = InputOptions(self.train, **vars(reading)).load_data()
        rows = read_rows(self.valid, reading, replace(FOR_MODEL, markers=MISSING))
        others = read_states(self.states_of, data, self)
        data = with_states(data, others, missing=reading.missing == "state")
        data, codes = coded_beside(data, rows)
        check_rows(data)
        valid = replace(rows, names=data.names, states=data.states, codes=codes)
        if is_em:
            train = without_missing_state(data)
            states = dict(zip(train.names, train.states, strict=True))
            return merged(train), merged(without_missing_state(valid, states))
        return merged(data), merged(valid)


@dataclass(frozen=True)
class _OtherInputs:
    """The input on which a checkpoint depends, besides the training rows and the configuration."""

    valid: str
    models: tuple


def make_mixture(
    files: MixtureFiles,
    config: MixtureConfig,
    limits: Limits,
    checkpoints: CheckpointOptions,
    resources: ResourceOptions,
) -> int:
    """Learn a mixture and write it; returns the exit code.

    Raises
    ------
    CliquewiseError
        Data that cannot be read, or do not fit each other; too little memory; tables that are too large for the format.
    """
    watch = Stopwatch()
    data, valid = files.read()
    watch.end_reading()
    texts = {path: read_text(path, "a model") for path in files.others}
    changed_by = "" if limits.is_given else "--time-limit or --iterations"
    limits = limits.of_sampling
    needs = mixture_needs(data, valid, config, limits, resources.cores)
    config = resources.fitted(config, needs)
    work = f"search for a mixture of at most {counted(config.networks, 'network')}"
    log_summary(data, work, length_of(limits, changed_by=changed_by), needs, config.cache_mb)
    if resources.dry_run:
        return Estimate(data, needs, config.cache_mb, limits).print()
    digests = tuple(hashlib.sha256(text.encode()).hexdigest() for text in texts.values())
    source, output = LearningOptions(files.train), OutputOptions()
    task = Task("mnmodel mixture", source, output, resources, checkpoints, host=host(), watch=watch)
    checkpoint = task.checkpoint(data, config, _OtherInputs(data_digest(valid), digests))
    with task.running(limits, checkpoint=checkpoint) as monitor:
        search = MixtureSearch(data, valid, config, monitor, network_capacity(data, valid, limits))
        for path, text in texts.items():
            other = parse_model(text, path)
            search.add(other if config.empirical and files.fmt == "json" else _without_rows(other, path), path)
        chosen = search.run()
        status = monitor.status or LOCAL_OPTIMUM
        chosen, model = _writable(chosen, search, _checked_length if files.fmt == "json" else _full_network)
        _log_choice(chosen, search)
        head = {"program": "mnmodel mixture", "version": version(), "status": status, **_lines(chosen, data, config)}
        head |= {"missing": "em"} if files.missing == "em" else {}
        if len(chosen.networks) > 1 and files.fmt != "json":
            head[HIDDEN_CLASS] = model.names[-1]
        write_model(files.path, model, files.fmt, head)
        if status != INTERRUPTED and info_is_shown():
            for line in _conclusion(chosen, search, files, watch.line(0.0)):
                LOG.info("%s", line)
    return 130 if status == INTERRUPTED else 0


def _without_rows(model: BayesianNetwork | Mixture, path: str) -> BayesianNetwork | Mixture:
    """A model without the empirical distributions in it; every mixture has a network, too."""
    kept = [k for k, one in enumerate(component_networks(model)) if isinstance(one, BayesianNetwork)]
    if not isinstance(model, Mixture) or len(kept) == len(model.networks):
        return model
    LOG.info("%s: the empirical distribution in it is left out", path)
    weights = model.weights[kept]
    return Mixture(tuple(model.networks[k] for k in kept), weights / weights.sum(), model.hidden)


def mixture_needs(data: Dataset, valid: Dataset, config: MixtureConfig, limits: Limits, threads: int) -> Needs:
    """Memory of a run: that of a search, numbered joint states, and the tables and logarithms of all candidates."""
    searching = needs_of(data, Config(max_clique=config.max_clique), threads)
    rows = data.n_stored + valid.n_stored
    networks = network_capacity(data, valid, limits)
    drawn = 0.0 if data.rows is None else 8.0 * ROW_ARRAYS * COMPONENTS * data.n_rows  # drawn by components
    return Needs(searching.tables + CACHE_BYTES + 8.0 * rows * data.n + networks + drawn, searching.largest_cache)


def network_capacity(data: Dataset, valid: Dataset, limits: Limits) -> float:
    """The memory allowed for the networks of all candidates, in bytes."""
    turns = 20 if limits.time_limit is None else max(10.0, math.sqrt(limits.time_limit) / TURN_SECONDS)
    states = min(PARENT_STATES, data.n_stored) * float(data.arity.sum())
    return turns * COMPONENTS * 8.0 * (states + data.n_stored + valid.n_stored)


def _writable(
    chosen: MixtureChoice, search: MixtureSearch, to_write: Callable
) -> tuple[MixtureChoice, BayesianNetwork | Mixture]:
    """A choice that can be written, and its model.

    As long as the model cannot be written, a mixture is chosen with three quarters of the number of networks, and
    instead of a single network another one.

    Parameters
    ----------
    chosen
        The first one; another is made if its model cannot be written.
    to_write : callable taking a BayesianNetwork or Mixture
        Returns the model in the form that is written, or raises LimitError: `_checked_length` for JSON, and
        `_full_network` for other formats, which cannot contain an empirical distribution.
    """
    candidates = [one for one in search.candidates if to_write is _checked_length or one.kind != EMPIRICAL]
    most = search.config.networks
    if not set(chosen.candidates) <= set(candidates):
        chosen = choice(candidates, search.folds, most)
    refused: list[LimitError] = []
    while True:
        model = _model(chosen, search)
        try:
            written = to_write(model)
            break
        except LimitError as error:
            if isinstance(model, Mixture):
                most = len(chosen.networks) * 3 // 4
                LOG.warning("%s; choosing again, with at most %d networks", error, most)
            else:
                candidates = [one for one in candidates if one is not chosen.candidates[0]]
                if not any(one.is_network for one in candidates):
                    raise
                refused.append(error)
        chosen = choice(candidates, search.folds, most)
    if refused:
        LOG.warning("%s; networks left out for this reason: %d", refused[-1], len(refused))
    return chosen, written


def _full_network(model: BayesianNetwork | Mixture) -> BayesianNetwork:
    """A network with full tables.

    Raises
    ------
    LimitError
        They are too large.
    """
    return as_network(model) if isinstance(model, Mixture) else model.full()


def _checked_length(model: BayesianNetwork | Mixture) -> BayesianNetwork | Mixture:
    """The model, if its file is short enough to be read.

    Raises
    ------
    LimitError
        It is not.
    """
    if not fits_in(model, MAX_TEXT):
        count = len(component_networks(model))
        raise LimitError(f"a file of {count} networks with more than {MAX_TEXT:,} bytes; use --max-clique")
    return model


def _log_choice(chosen: MixtureChoice, search: MixtureSearch) -> None:
    """Log the choice."""
    message = f"gains {chosen.gain:.4f} per row over one network, standard error {chosen.error:.4f}"
    if len(chosen.networks) == 1:
        candidates = counted(len(search.candidates), "candidate")
        only_rows = chosen.gain > chosen.error  # and yet it is not chosen
        message = f"is the rows of TRAIN alone, and {message}" if only_rows else message
        LOG.info("%s; a single network is chosen: their mixture %s", candidates, message)
        return
    candidates = counted(len(chosen.candidates), "candidate")
    LOG.info("mixture of %d networks from %s: it %s", len(chosen.networks), candidates, message)


def _conclusion(chosen: MixtureChoice, search: MixtureSearch, files: MixtureFiles, times: str) -> Iterator[str]:
    """The last lines: links of the network of the largest weight, proof, time, and the next command."""
    from ..common.graphs.dag import Dag

    order = np.argsort(-chosen.weights, kind="stable")
    networks = [(k, chosen.networks[k].network(search.rows)) for k in order]
    largest = next(((k, one) for k, one in networks if isinstance(one, BayesianNetwork)), None)
    if largest is not None and files.missing != "em":  # of rows with missing cells sets have no score
        k, network = largest
        graph = Dag.from_parents(network.parents, network.names)
        yield f"weight {chosen.weights[k]:.2f}: {links_line(graph, search.data, Claims(score_type='bdeu', ess=1.0))}"
    yield "nothing is proved about it"
    yield times
    if is_stdout(files.path):
        yield "next: with -o mixture.json the model is a file for mnmodel"
    else:
        path, valid = shlex.quote(str(files.path)), shlex.quote(files.valid)
        yield f"next: mnmodel loglik {path} {valid}, or mnmodel marginals {path}"


def _lines(chosen: MixtureChoice, data: Dataset, config: MixtureConfig) -> dict[str, str]:
    """Header lines about the choice."""
    kinds = [one.kind for one in chosen.candidates]
    kinds_made = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    lines = {"networks": str(len(chosen.networks)), "candidates": kinds_made, "rows": str(data.n_rows)}
    lines |= {"gain": f"{chosen.gain:.6f}", "gain-error": f"{chosen.error:.6f}", "seed": str(config.seed)}
    if config.max_clique is not None:
        lines["max-clique"] = str(config.max_clique)
    return lines


def _model(chosen: MixtureChoice, search: MixtureSearch) -> BayesianNetwork | Mixture:
    """The result: a mixture, or a single network."""
    data = search.data
    networks = tuple(network.network(search.rows) for network in chosen.networks)
    if len(networks) == 1 and isinstance(networks[0], BayesianNetwork):
        return networks[0]
    hidden = CLASS_NAME
    while hidden in data.names:
        hidden += "_"
    return Mixture(networks, chosen.weights / chosen.weights.sum(), hidden)
