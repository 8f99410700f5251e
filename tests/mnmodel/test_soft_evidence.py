"""`--soft`: evidence that fixes distributions, against the nearest distribution found by enumeration."""

import json

import numpy as np
import pytest

from cliquewise.common.models.model_file import write_model
from tests.oracles import questions
from tests.oracles.distributions import bayesian_distribution, marginal
from tests.random_models import random_model

ARITY = [2, 3, 2, 2, 3]
NETWORK = random_model(np.random.default_rng(4), ARITY, zeros=0)
JOINT = bayesian_distribution(ARITY, NETWORK.parents, [table.tolist() for table in NETWORK.tables])
SURE = (
    "variable a { type discrete [2] { x, y }; }\nvariable b { type discrete [2] { x, y }; }\n"
    "probability ( a ) { table 0.5, 0.5; }\nprobability ( b | a ) { (x) 1, 0; (y) 0, 1; }\n"
)


@pytest.fixture(autouse=True)
def work(workplace):
    """A folder with models."""
    place = workplace({"sure.bif": SURE, "rows.csv": "x0\ns1\n"})
    write_model("net.bif", NETWORK, "bif", {})
    return place


def found(run, *options):
    """The answer of `mnmodel marginals`."""
    done = run("mnmodel", "marginals", "net.bif", *options, "--format", "json")
    assert done.code == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_one_variable_is_the_average_over_its_states(run):
    """Jeffrey's rule: the sum over the states of x1 of q(x1) p(others | x1, findings)."""
    wanted = {1: 0.7, 2: 0.3}
    answer, log = found(run, "--given", "x0=s1", "--soft", "x1=0,0.7,0.3")
    for v in range(5):
        mean = np.zeros(ARITY[v])
        for k, q in wanted.items():
            given = questions.conditional(JOINT, {0: 1, 1: k})[1]
            mean += [q * marginal(given, (v,)).get((state,), 0.0) for state in range(ARITY[v])]
        assert list(answer["marginals"][f"x{v}"].values()) == pytest.approx(mean, abs=1e-9)
    assert answer["log-probability"] == pytest.approx(np.log(questions.conditional(JOINT, {0: 1})[0]), abs=1e-8)
    likelihood = log.split("--likelihood '")[1].split("'")[0]
    again, _ = found(run, "--given", "x0=s1", "--likelihood", likelihood)
    for name, shares in answer["marginals"].items():
        assert again["marginals"][name] == pytest.approx(shares, abs=1e-5)


def test_several_variables_have_the_nearest_distribution(run):
    """Every one has its own; and the ratio to p(x | findings) is a product of functions of single variables."""
    wanted = {1: [0.2, 0.5, 0.3], 3: [0.9, 0.1], 4: [0.1, 0.1, 0.8]}
    options = [part for v, q in wanted.items() for part in ("--soft", f"x{v}={','.join(map(str, q))}")]
    answer, _ = found(run, "--given", "x2=s1", *options)
    for v, q in wanted.items():
        assert list(answer["marginals"][f"x{v}"].values()) == pytest.approx(q, abs=1e-9)
    fitted = questions.conditional(JOINT, {2: 1})[1]
    for _ in range(300):
        for v, q in wanted.items():
            now = marginal(fitted, (v,))
            fitted = {state: p * q[state[v]] / now[state[v],] for state, p in fitted.items()}
    for v in range(5):
        truth = [marginal(fitted, (v,)).get((k,), 0.0) for k in range(ARITY[v])]
        assert list(answer["marginals"][f"x{v}"].values()) == pytest.approx(truth, abs=1e-8)


def test_impossible_distributions_are_refused(refuse):
    ask = "mnmodel marginals sure.bif -q"
    refuse(f"{ask} --given a=x --soft b=0.5,0.5", 1, "sure.bif: soft evidence for 'b': state 'y' has probability zero")
    refuse(f"{ask} --soft a=0.5,0.5 --soft b=0.9,0.1", 1, "sure.bif: soft evidence: no distribution was found that has")
    refuse(f"{ask} --soft a=0.5,0.6", 1, "sure.bif: soft evidence: the numbers of 'a' sum to 1.1; probabilities")
    refuse(f"{ask} --soft a=0.5", 1, "sure.bif: variable 'a' has 1 probabilities and 2 states")
    refuse(f"{ask} --soft a=0.5,0.5 --given a=x", 1, "sure.bif: variable 'a' is given and has soft evidence")
    refuse(f"{ask} --soft a=0.5,0.5 --likelihood a=1,2", 1, "sure.bif: variable 'a' is given by --likelihood and by")
    refuse("mnmodel marginals net.bif -q --soft x1=1,0,0 --given-rows rows.csv", 2, "--soft has no effect with")


def test_a_pair_can_be_quoted_as_in_given(run, workplace):
    """As `--given '"a,b=x"'`; names with commas need no quotes here, since numbers have none."""
    workplace({"m.bif": SURE.replace(" a ", ' "a,b" ')})
    for option in ("--soft", "--likelihood"):
        plain, quoted = (
            run("mnmodel", "marginals", "m.bif", option, text, "-q") for text in ("a,b=0.2,0.8", '"a,b=0.2,0.8"')
        )
        assert quoted.code == 0 and quoted.stdout == plain.stdout
        done = run("mnmodel", "marginals", "m.bif", option, 'b=1,"a,b=0.2,0.8"')
        assert done.code in (1, 2) and len(done.stderr.splitlines()) == 1
