"""What pages compute, run by Node: every answer beside enumeration; `test_page_in_browser` has the rest."""

import json
import math
import shutil
import subprocess

import numpy as np
import pytest

from cliquewise.common.drawing.page import Page, page_data
from cliquewise.common.models.mixture import Mixture
from tests.commands import ROOT
from tests.mnmodel.test_mixture_model import all_states, joint_of, random_empirical, random_mixture
from tests.oracles.distributions import marginal
from tests.random_models import random_model
from tests.slow import slow

ANSWER = """
const {model, questions} = JSON.parse(require('fs').readFileSync(0, 'utf8')), tree = distribution(model);
const lists = values => JSON.parse(JSON.stringify(values, (_, x) => (ArrayBuffer.isView(x) ? [...x] : x)));
console.log(JSON.stringify(questions.map(entries => {
  const findings = new Map(entries.map(([v, likelihood]) => [v, Float64Array.from(likelihood)]));
  const {log, states} = tree.explain(findings), chance = Math.exp(tree.propagate(findings)), vs = tree.arity.keys();
  const collected = Math.exp(tree.collect(findings, false));
  tree.propagate(findings);
  if (chance === 0) return {chance, collected, states};
  const marginals = [...vs].map(v => tree.marginal(v).slice());
  const pairs = marginals.flatMap((_, u) => marginals.map((_, v) => [u, v])).filter(([u, v]) => u !== v);
  const joints = pairs.map(pair => [pair, tree.joint(pair), tree.mutualInformation(...pair)]);
  const after = marginals.map((_, v) => tree.marginal(v));
  return lists({chance, collected, best: Math.exp(log), states, marginals, joints, after});
})));
"""


@pytest.fixture
def ask(tmp_path):
    """Answers of the program of a page to questions, [[(variable, likelihood of its states), ...], ...]."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")

    def answers(model, questions):
        page = page_data(Page("net", model.moral_graph(), model=model))
        script = tmp_path / "answer.js"
        script.write_text((ROOT / "common/drawing/web/inference.js").read_text() + ANSWER)
        asked = json.dumps({"model": page, "questions": questions})
        done = subprocess.run([node, script], input=asked, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return answers


def random_questions(rng, arity, count):
    """Nothing known, then states, sets of states and other likelihoods of random variables."""
    questions = [[]]
    for _ in range(count):
        chosen = np.flatnonzero(rng.random(len(arity)) < 0.35).tolist()
        kinds = [rng.integers(3) for _ in chosen]
        likelihoods = [
            [np.eye(r)[rng.integers(r)], (rng.random(r) < 0.6).astype(float), rng.random(r)][kind].tolist()
            for kind, r in zip(kinds, (arity[v] for v in chosen), strict=True)
        ]
        questions.append(list(zip(chosen, likelihoods, strict=True)))
    return questions


def compare(answers, joint, arity, questions):
    """Compare all answers with those from the joint distribution; how many questions were impossible."""
    impossible = 0
    for entries, answer in zip(questions, answers, strict=True):
        weights = {x: p * math.prod(like[x[v]] for v, like in entries) for x, p in joint.items()}
        total = sum(weights.values())
        assert answer["chance"] == pytest.approx(total) and answer["collected"] == pytest.approx(total)
        if total == 0:
            assert answer["states"] is None
            impossible += 1
            continue
        assert answer["best"] == pytest.approx(max(weights.values()))
        assert weights[tuple(answer["states"])] == pytest.approx(max(weights.values()))
        known = {x: weight / total for x, weight in weights.items()}
        alone = [marginal(known, [v]) for v in range(len(arity))]
        expected = [pytest.approx([alone[v][(s,)] for s in range(r)], abs=1e-12) for v, r in enumerate(arity)]
        assert answer["marginals"] == expected and answer["after"] == expected
        for (u, v), table, information in answer["joints"]:
            pair = marginal(known, [u, v])
            assert table == pytest.approx([pair[s] for s in np.ndindex(arity[u], arity[v])], abs=1e-12)
            terms = (p * math.log(p / alone[u][(a,)] / alone[v][(b,)]) for (a, b), p in pair.items() if p)
            assert information == pytest.approx(sum(terms), abs=1e-9) and (information == 0 or information > 1e-14)
    return impossible


@pytest.mark.parametrize("seed", [*range(2), *slow(*range(2, 6))])
def test_a_mixture(ask, seed):
    rng = np.random.default_rng(seed)
    arity = rng.integers(2, 4, 5).tolist()
    mixture = random_mixture(rng, arity, 3, with_rows=True)
    sizes = [*arity, 3]
    questions = random_questions(rng, sizes, 12)
    compare(ask(mixture, questions), joint_of(mixture), sizes, questions)


def test_findings_that_a_mixture_excludes(ask):
    rng = np.random.default_rng(1)
    network = random_model(rng, [2, 3, 2])
    rows = Mixture((network, random_empirical(rng, network)), np.array([0.0, 1.0]))
    questions = random_questions(rng, [2, 3, 2, 2], 40)
    assert compare(ask(rows, questions), joint_of(rows), [2, 3, 2, 2], questions) > 0


@pytest.mark.parametrize("seed", range(3))
def test_a_network(ask, seed):
    rng = np.random.default_rng(seed)
    arity = rng.integers(2, 4, 6).tolist()
    network = random_model(rng, arity)
    questions = random_questions(rng, arity, 12)
    compare(ask(network, questions), all_states(network), arity, questions)
