"""Variants of `python -m tests.bench ablation` change what the program reads."""

import pytest

from cliquewise.junctor import ilp, local_search
from tests.bench import ablated_mixture, ablated_posterior, ablated_proofs, ablated_search
from tests.bench.ablation import constants, nothing


@pytest.mark.parametrize("learner", [ablated_mixture, ablated_posterior, ablated_proofs, ablated_search])
def test_first_variant_changes_nothing(learner):
    assert next(iter(learner.ABLATED.variants.values())) is nothing


def test_constants_that_only_another_module_reads_are_refused():
    with pytest.raises(AssertionError, match="FIRST_STEPS is not read in .*local_search"):
        constants(local_search, FIRST_STEPS=1)
    constants(ilp, FIRST_STEPS=1)
