"""`cliquewise learn`: from a table to a network, probabilities of its links, a model and a report.

    table -> columns chosen and cut -> best network -> probabilities of its links -> model -> held-out check

Each step does the work of a plain command, by the same functions. The time is divided: a quarter for the search, a
quarter for a proof if one is feasible, two fifths for the chains that estimate probabilities, the rest for networks of
the rows that are not held out. A step that ends early leaves its time unused.
"""

from __future__ import annotations

import hashlib
import logging
import math
import shlex
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..coarsen.from_python import coarsen
from ..common.data.declared import states_text
from ..common.data.incomplete import IncompleteData
from ..common.data.reading import Reading
from ..common.drawing.strength import edge_strengths
from ..common.errors import CliquewiseError, LimitError
from ..common.files.atomic_write import write_whole
from ..common.files.fingerprint import data_digest
from ..common.files.graphfile import write_graph
from ..common.files.header_words import READ_BY
from ..common.files.result_header import Claims, plan_numbers
from ..common.inference.completions import CompletionPlan, complete
from ..common.learning.choice import few_messages
from ..common.learning.conclusion import MIN_PROVED_CLIQUE
from ..common.learning.priors import edge_prior_of
from ..common.networks.network import read_network
from ..common.run.result import INTERRUPTED, OPTIMAL
from ..common.run.second_compiler import second_compiler
from ..common.scores.tiny_source import few_rows
from ..common.version import version
from ..junctor.from_python import junctor
from ..lsmarkov.exact import FEW_VARIABLES, has_few_sets
from ..lsmarkov.from_python import lsmarkov
from ..mnmodel.from_python import fit, read_model
from ..mnposterior.chains import MAX_VARIABLES
from ..mnposterior.from_python import mnposterior
from .compile_ahead import compile_kernels
from .config import FOR_LEARNERS, WorkflowOptions, words_of
from .link_example import example_of
from .prediction import predictions, read_predictions, write_predictions
from .preparation import BY_EM, STATES, Preparation, prepare
from .report import MAX_LINKS, Link, Prediction
from .steps import CommandStep, Steps, path_in
from .study import HELD_OUT_ROWS, MODEL, NETWORK, PROBABILITIES, PROVED, SEARCHED, TABLE, Study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from threading import Event

    from ..common.data.csvtable import CsvTable
    from ..common.data.dataset import Dataset
    from ..common.networks.network import Network

LOG = logging.getLogger("cliquewise")
SEARCH, PROOF, CHAINS, HELD_OUT = 0.25, 0.25, 0.4, 0.05  # shares of the time; the last is that of each network
PROVED_UP_TO, PROVED_CLIQUES = 60, 6  # variables and cliques of a network for which a proof is tried
PROVED_WHOLE = 15  # variables up to which the proof is about cliques of any size
ROUNDS = "completion-rounds", "completion-steps"  # which time may have ended; a file of an earlier run can have others


def learn(
    content: CsvTable,
    options: WorkflowOptions,
    folder: Path | None = None,
    reading: Reading = BY_EM,
    stop: Event | None = None,
) -> Study:
    """Learn the links between the variables of a table.

    Parameters
    ----------
    content
        The table, as `common.data.csvfile.table_in_memory` returns it.
    folder
        For the files of each step, made if it does not exist; existing files are used again.
    reading
        How the table is read.
    stop
        Another thread may set it to end the run.

    Raises
    ------
    CliquewiseError
        The table has too few usable columns, or too many.
    KeyboardInterrupt
        A learner was stopped.
    """
    ready = prepare(content, options.bins, options.keep, reading, warns=folder is None)
    if ready.data.n > MAX_VARIABLES:
        found = f"{content.source}: {ready.data.n} columns to learn from, and at most {MAX_VARIABLES} get probabilities"
        raise LimitError(f"{found}; choose some (--columns, --drop), or learn the network alone (lsmarkov, mplearn)")
    steps = Steps(folder)
    steps.make_folder()
    made_from = {"data": data_digest(ready.data), "version": version(), **asdict(options)}
    required: tuple[tuple[int, int], ...] = ()
    if options.edge_priors is not None:
        prior = edge_prior_of(0.5, options.edge_priors, ready.data)
        made_from["edge_priors"], required = prior.digest, prior.required
    source = _source(ready, content.source, steps, made_from, stop)
    with second_compiler(_next_steps(ready.data, options), options.threads):
        network, gains = _best(ready.data, source, options)
        description = "probabilities of the links"
        sampling = _options(options, CHAINS)
        if _has_exact_draws(ready.data, options):
            del sampling["time_limit"]  # then they are exact
        probabilities = source.learned(description, PROBABILITIES, mnposterior, sampling)
    fitting = shlex.join(["mnmodel", "fit", *source.words, path_in(folder, NETWORK), "-o", path_in(folder, MODEL)])
    model = steps.run(
        CommandStep("a model for queries", fitting),
        MODEL,
        made_from,
        lambda: fit(ready.data, network),
        lambda found, path: found.write(path),
        read_model,
    )
    with few_messages():
        links = links_of(ready.data, gains, probabilities, required)
    held_out = steps.run(
        CommandStep("a check on held-out rows", ""),
        HELD_OUT_ROWS,
        made_from,
        lambda: _predicted(ready.data, options, stop),
        write_predictions,
        read_predictions,
    )
    return Study(content.source, ready, network, probabilities, model, links, held_out, tuple(steps.done), source.words,
                 options)  # fmt: skip


@dataclass(frozen=True)
class Source:
    """The input of the learners: the table in a folder, as their commands read it, or data in memory.

    Attributes
    ----------
    words : tuple of str
        Words of each command: the name of the table, and the options by which it is read.
    content : str or Dataset
    reading : dict of str to str
        Arguments of a learner by which the table is read.
    steps, made_from
        See `Steps.run`.
    stop
        Of the learners.
    """

    words: tuple[str, ...]
    content: Any
    reading: dict[str, Any]
    steps: Steps
    made_from: dict[str, Any]
    stop: Event | None = None

    def learned(
        self,
        description: str,
        name: str,
        learner: Callable[..., Network],
        options: dict[str, Any],
        completed: Dataset | None = None,
    ) -> Network:
        """The network of a learner, as a step that one command does.

        Parameters
        ----------
        description, name
            Of the step and of its file.
        options
            Arguments of the learner.
        completed
            Completed rows; None: the learner draws missing cells itself.
        """
        content, reading = self.content, self.reading
        if completed is not None:
            content = replace(completed, source=self.words[0], reading=Reading(**reading) if reading else None)
            reading = {}
        line = [learner.__name__, *self.words, *words_of(options), "-o", path_in(self.steps.folder, name)]
        return self.steps.run(
            CommandStep(description, shlex.join(line)),
            name,
            self.made_from,
            lambda: _uninterrupted(learner(content, **reading, **options, stop=self.stop)),
            _write_network,
            read_network,
        )


def _source(ready: Preparation, given: str, steps: Steps, made_from: dict[str, Any], stop: Event | None) -> Source:
    """The input of the learners, after the new table is written."""
    name, reading, new = given, ready.reading, ready.new
    if new is not None:
        name = path_in(steps.folder, TABLE)
        description = "columns chosen, numbers cut into classes"
        _write(steps, TABLE, description, ["discretize", given, *new.discretize_words], new.text)
    if new is not None and new.states:
        description = "states that no row has"
        text = states_text(new.states, "csv").encode()
        _write(steps, STATES, description, ["states", given, *new.states_words], text)
        reading = replace(reading, states=path_in(steps.folder, STATES))
    by_default = reading.missing == "refuse" or (reading.missing == "em" and not isinstance(ready.data, IncompleteData))
    missing = {} if by_default else {"missing": reading.missing}
    words = (name, *reading.words(), *(("--missing", reading.missing) if missing else ()))
    if steps.folder is None:
        return Source(words, ready.data, {}, steps, made_from, stop)
    arguments = {key: value for key, value in vars(reading).items() if key in READ_BY and key != "missing"}
    return Source(words, name, arguments | missing, steps, made_from, stop)


def _write(steps: Steps, name: str, description: str, words: list[str], text: bytes) -> None:
    """Write a file that a subcommand of mnmodel makes."""
    step = CommandStep(description, shlex.join(["mnmodel", *words, "-o", path_in(steps.folder, name)]))
    made_from = {"content": hashlib.sha256(text).hexdigest()}
    steps.run(step, name, made_from, lambda: text, lambda text, path: write_whole(path, text), lambda path: text)


def _best(data: Dataset, source: Source, options: WorkflowOptions) -> tuple[Network, dict[tuple[int, int], float]]:
    """The best network: that of the search, or one as good that junctor finds, with its proof; and its edges' gains."""
    found = source.learned("search for the best network", SEARCHED, lsmarkov, _options(options, SEARCH))
    best, file, steps, completed = found, SEARCHED, source.steps, None
    if isinstance(data, IncompleteData):  # the proof is about the rows of the search, also if time ended their rounds
        with few_messages():
            completed = complete(data, CompletionPlan(*plan_numbers(found.header, path_in(steps.folder, SEARCHED))))
    largest = options.max_clique or max(MIN_PROVED_CLIQUE, *map(len, found.cliques))
    any_size = options.max_clique is None and data.n <= PROVED_WHOLE
    if found.status != OPTIMAL and (any_size or (data.n <= PROVED_UP_TO and largest <= PROVED_CLIQUES)):
        bounded = _options(options, PROOF) | {"max_clique": None if any_size else largest}
        try:
            other = source.learned("proof that none is better", PROVED, junctor, bounded, completed)
        except CliquewiseError as error:
            LOG.info("no proof: %s", error)
        else:
            same_rows = all(other.header.get(key) == found.header.get(key) for key in ROUNDS)
            if same_rows and other.score() >= found.score() - 1e-9 * abs(found.score()):
                best, file = other, PROVED
    copying = shlex.join(["cp", path_in(steps.folder, file), path_in(steps.folder, NETWORK)])
    choosing = CommandStep("the best network found", copying)
    steps.run(choosing, NETWORK, source.made_from, lambda: best, _write_network, read_network)
    with few_messages():
        return best, edge_gains(best, data if completed is None else completed)


def _next_steps(data: Dataset, options: WorkflowOptions) -> Callable[[], None]:
    """A function that compiles the kernels of the steps after the search, as far as these are known before it."""
    is_tried = FEW_VARIABLES < data.n <= PROVED_UP_TO and (options.max_clique or MIN_PROVED_CLIQUE) <= PROVED_CLIQUES
    proof = (options.max_clique or MIN_PROVED_CLIQUE) if is_tried else None
    method = "exact" if _has_exact_draws(data, options) else "chains"
    return partial(compile_kernels, few_rows(data), options.max_clique, proof, method)


def _has_exact_draws(data: Dataset, options: WorkflowOptions) -> bool:
    """Whether the probabilities are from exact draws, which take some seconds at most."""
    return not isinstance(data, IncompleteData) and has_few_sets(data, options.max_clique or data.n)


def _uninterrupted(found: Network) -> Network:
    """The network, unless its learner was interrupted: that interrupts the whole run."""
    if found.status == INTERRUPTED:
        raise KeyboardInterrupt
    return found


def _write_network(found: Network, path: str) -> None:
    """Write a network in the format of the file's ending."""
    write_graph(path, found.graph, Path(path).suffix[1:], found.header, use_names=True)


def edge_gains(network: Network, rows: Dataset) -> dict[tuple[int, int], float]:
    """The score that a network loses without each of its edges."""
    gains = edge_strengths(network.graph, rows, Claims.read(network.header, "network"))
    return dict(zip(network.graph.edges, gains, strict=True))


def links_of(
    data: Dataset,
    gain: Mapping[tuple[int, int], float],
    probabilities: Network,
    required: Sequence[tuple[int, int]],
) -> tuple[Link, ...]:
    """The links of the network, and those that are more probable than not, the strongest first.

    Parameters
    ----------
    data
        Its variables are those of the networks, in this order.
    gain
        Of each edge of the network, the score lost without it.
    required
        The edges of prior probability 1, the smaller variable first.
    """
    listed: Any = probabilities.graph
    errors = listed.errors or (None,) * len(listed.edges)
    known = dict(zip(listed.edges, zip(listed.probabilities, errors, strict=True), strict=True))
    names = data.names
    shown = set(gain) | {edge for edge, (probability, _) in known.items() if probability > 0.5}
    found = []
    for u, v in shown:
        probability, error = known.get((u, v), (0.0, None))
        found.append(Link((names[u], names[v]), probability, error, gain.get((u, v)), (u, v) in required))
    found.sort(key=lambda link: (-link.probability, -(link.gain if link.gain is not None else -math.inf), link.ends))
    place = {name: v for v, name in enumerate(names)}
    named = [replace(link, example=example_of(data, *map(place.__getitem__, link.ends))) for link in found[:MAX_LINKS]]
    return (*named, *found[MAX_LINKS:])


def _predicted(data: Dataset, options: WorkflowOptions, stop: Event | None) -> tuple[Prediction, ...]:
    def forest(rows: Dataset) -> Any:
        return _uninterrupted(coarsen(rows, method="forest", ess=options.ess, stop=stop)).graph

    def searched(rows: Dataset) -> Any:
        return _uninterrupted(lsmarkov(rows, **_options(options, HELD_OUT), stop=stop)).graph

    return predictions(data, options.ess, options.seed, {"best forest": forest, "network": searched})


def _options(options: WorkflowOptions, share: float) -> dict[str, Any]:
    """Options of a learner."""
    return options.changed(*FOR_LEARNERS) | {"time_limit": share * options.time_limit}
