"""Sentences of a report, by status, probabilities and prior probabilities."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

import cliquewise
from cliquewise.common.graphs.graph import Graph
from cliquewise.workflow.learn import edge_gains, links_of
from cliquewise.workflow.report import Link
from cliquewise.workflow.sentences import (
    convergence_sentence,
    doubt_sentence,
    links_sentence,
    methods_paragraph,
    outweighed_sentence,
)


def test_the_message_about_chains_that_do_not_agree():
    message = convergence_sentence({"r-hat-edges": "inf"})
    assert (
        "some links are in all networks of one chain and in none of another" in message and "inf" not in message.split()
    )
    assert "R-hat is 1.2, above 1.05" in convergence_sentence({"r-hat-edges": "1.2"})
    assert "too short to show whether they agree" in convergence_sentence({"r-hat-edges": "unknown"})


@pytest.mark.parametrize(
    "probabilities, others, sentence",
    [
        ([0.99], [], "The probability of its link is above 0.95."),
        ([0.7], [], "The probability of its link is between 0.5 and 0.95."),
        ([0.2], [0.8], "The probability of its link is below 0.5; one other link is more probable than not."),
        ([], [0.6], "But one link is more probable than not."),
        ([], [0.6, 0.9], "But 2 links are more probable than not."),
        (
            [0.99, 0.2],
            [0.8, 0.9, 0.1],
            "Of its 2 links, 1 with a probability above 0.95, 1 with one below 0.5; 2 other",
        ),
    ],
)
def test_the_sentence_about_links_that_are_not_certain(probabilities, others, sentence):
    links = [Link(("a", "b"), one, None, 1.0) for one in probabilities]
    links += [Link(("a", "c"), one, None, None) for one in others]
    assert doubt_sentence(links).startswith(sentence)


@pytest.mark.parametrize(
    "status, header, words",
    [
        ("optimal", {}, "The best network has 1 link among 2 variables, from 9 rows; strongest: a and b."),
        ("optimal", {"max-clique": "2"}, "The best network whose cliques have at most 2 variables has 1 link"),
        ("time limit", {"max-clique": "2"}, "The best network found has 1 link among 2 variables, from 9 rows;"),
    ],
)
def test_only_a_proved_network_is_called_the_best(status, header, words):
    network = SimpleNamespace(graph=Graph(2, ((0, 1),)), status=status, header=header)
    assert links_sentence([Link(("a", "b"), 0.9, None, 1.0)], network, 9).startswith(words)
    assert words.split(" has ")[0].lower() in links_sentence([], network, 9)


def test_links_whose_prior_probability_of_1_is_outweighed_are_named():
    """Independent columns of many states, which the network links all the same."""
    data = cliquewise.read_csv({"a": [k % 12 for k in range(288)], "b": [k // 12 % 12 for k in range(288)]})
    priors = {"a": ["a"], "b": ["b"], "probability": [1]}
    network = cliquewise.lsmarkov(data, edge_priors=priors, iterations=100)
    sampled = cliquewise.mnposterior(data, edge_priors=priors)
    (link,) = links_of(data, edge_gains(network, data), sampled, ((0, 1),))
    assert outweighed_sentence([link]).startswith("Linked only because their prior probability is 1: a and b (0.00).")
    assert outweighed_sentence([replace(link, probability=0.999)]) is None
    assert outweighed_sentence([replace(link, is_required=False)]) is None


@pytest.mark.parametrize(
    "network, sampled, cut, parts",
    [
        (
            {},
            {"draws": "10000"},
            0,
            ["by lsmarkov of cliquewise 1.2.3, with the BDeu score of equivalent sample size 2.5, a uniform prior "
             "over chordal networks, and seed 7. Its score, a natural logarithm, is -12.346. No chordal network has",
             "from 10,000 exact draws (mnposterior) with the same prior. The"],
        ),
        (
            {"missing": "em", "edge-priors": "5ac3"},
            {"ladders": "4", "r-hat-edges": "1.01", "max-clique": "3"},
            2,
            ["a prior over chordal networks whose cliques have at most 3 variables from probabilities of edges, and",
             "The numbers of 2 columns were cut into classes at quantiles. Missing cells were completed by structural",
             "by replica exchange Monte Carlo (mnposterior) with the same prior; R-hat of 4 ladders of chains: 1.01."],
        ),
        ({"missing": "drop"}, {"draws": "9"}, 0, ["Rows with missing cells were left out. Posterior"]),
        ({"missing": "state", "weights": "w"}, {"draws": "9"}, 0,
         ["Rows were weighted by w. Missing cells were treated as a state of their own. Posterior"]),
    ],
)  # fmt: skip
def test_the_methods_name_all_that_the_network_depends_on(network, sampled, cut, parts):
    header = {"program": "lsmarkov", "version": "1.2.3", "ess": "2.5", **network}
    best = SimpleNamespace(graph=Graph(2, ()), status="optimal", header=header, score=lambda: -12.3456)
    written = methods_paragraph(best, SimpleNamespace(header={"seed": "7", **sampled}), 9, cut)
    assert written.startswith("A chordal Markov network of 2 variables was learned from 9 rows")
    assert [part for part in parts if part not in written] == []
