"""What every learner's command does before and after it learns: read the input; certify the result and write it."""

import logging
from dataclasses import dataclass

from cliquewise.common.cli.compatibility import refuse_idle
from cliquewise.common.cli.load import kind_of
from cliquewise.common.cli.options import InputOptions, OutputOptions, ScoreOptions
from cliquewise.common.errors import CliquewiseError
from cliquewise.common.search.result import INTERRUPTED

LOG = logging.getLogger("cliquewise")


@dataclass(frozen=True)
class Task:
    """One run of a learner, as the options that all learners share describe it.

    Attributes
    ----------
    program : str
    source : InputOptions
    scoring : ScoreOptions
    output : OutputOptions
    max_clique : int or None
        Largest clique allowed.
    parent_sets : bool
        Whether a file of parent-set scores will do for data.
    """

    program: str
    source: InputOptions
    scoring: ScoreOptions
    output: OutputOptions
    max_clique: int = None
    parent_sets: bool = False

    def load(self):
        """The Dataset or other record of scores, after everything about the options that can be refused is refused."""
        data = self.source.load(self.parent_sets)
        self.output.check_names(data)
        refuse_idle(source=kind_of(data))
        return data

    def finish(self, data, result, details=None, write=None, allowed=None):
        """Certify the result and write it with its claims in the header.

        Parameters
        ----------
        data : Dataset or CliqueScores
        result : LearnResult
        details : dict of str to str, optional
            Further header lines.
        write : callable taking (Graph, dict), optional
            In place of writing the graph file.
        allowed : Graph, optional
            The edges that the search was held to.

        Returns
        -------
        int
            Exit code: 130 for an interrupted search, else 0.

        Raises
        ------
        CliquewiseError
            The result failed its check: nothing is written.
        """
        from cliquewise.common.certify.cliques import certify
        from cliquewise.common.data.dataset import Dataset
        from cliquewise.common.files.claims import Claims

        from_data = isinstance(data, Dataset)
        score_type = self.scoring.score_type if from_data else None
        ess = self.scoring.ess
        promised = {"max_clique": self.max_clique, "allowed": allowed}
        verdict = certify(result.graph, data, score_type, ess, claimed=result.score, **promised)
        claims = Claims(result.score, score_type, ess if from_data else None, self.max_clique).header()
        if allowed is not None:
            details = {**(details or {}), "allowed-edges": str(len(allowed.edges))}
        shape = f"{len(result.graph.edges)} edges, largest clique {verdict.largest_clique}"
        return self.deliver(data, result, verdict.problems, claims, shape, details, write)

    def deliver(self, data, result, problems, claims, shape, details=None, write=None):
        """Write a certified result, or refuse to write one that is not what it claims to be.

        Parameters
        ----------
        data : Dataset or another record of scores
        result : record with graph, score, status, iterations
        problems : sequence of str
            What its certificate found wrong.
        claims : dict of str to str
            Header lines that `mntools check` holds the file to.
        shape : str
            The network in a few words, for the log.
        details : dict of str to str, optional
            Further header lines, said on the log too.
        write : callable taking (graph, dict), optional
            In place of writing the graph file.

        Returns
        -------
        int
            As `finish`.

        Raises
        ------
        CliquewiseError
            There are problems.
        """
        from cliquewise.common.data.dataset import Dataset

        if problems:
            raise CliquewiseError(f"the result failed its check and is not written: {problems[0]}")
        header = {"program": self.program, **claims, "status": result.status, **(details or {})}
        if self.source.missing != "refuse" and isinstance(data, Dataset):
            header["missing"] = self.source.missing
        told = "".join(f"; {key} {value}" for key, value in (details or {}).items())
        ended = f"{result.status} after {result.iterations} steps{told}"
        LOG.info("score %.6f, %s; %s", result.score, shape, ended)
        (write or self.output.write)(result.graph, header)
        return 130 if result.status == INTERRUPTED else 0
