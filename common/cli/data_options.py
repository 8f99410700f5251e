"""The options of data and results that arrive as the records of `common.learning`, as learners need them.

`input_options` gives `source` (an `InputOptions`), `incomplete_data_options` a `LearningOptions`,
`incomplete_input_options` that and an `EmOptions`, those of `score_options` give `scoring`, `output_options` gives
`output` (`arc_output_options` for directed graphs); `learner_options` is all of these with `--max-clique`, `-q` and
`-v`.
"""

from __future__ import annotations

from ..files.graphfile import ARC_FORMATS, FORMATS
from ..files.header_words import FIT_RULES
from ..learning.options import OutputOptions
from ..learning.sources import InputOptions, LearningOptions
from .formats import format_option
from .incomplete import em_options
from .option import GIVEN, Conditions
from .option_group import all_of, option_group, with_conditions
from .options import (
    data_argument,
    data_option,
    layout_options,
    max_clique_option,
    missing_option,
    names_option,
    output_option,
    resample_option,
    standard_options,
    tally_options,
)
from .provenance import provenance_option
from .score_options import learner_score_options

WITH_DATA: Conditions = {"data": GIVEN}  # where `--data` is an option
_cells = layout_options, missing_option(), tally_options
_cells_as_stated = layout_options, missing_option(None), tally_options
input_options = option_group("source", InputOptions, data_argument, *_cells)
incomplete_data_options = option_group(
    "source",
    LearningOptions,
    data_argument,
    layout_options,
    missing_option("refuse", FIT_RULES),
    tally_options,
    resample_option,
)
incomplete_input_options = all_of(incomplete_data_options, em_options)
fit_input_options = option_group(
    "source",
    InputOptions,
    data_argument,
    layout_options,
    missing_option(None, FIT_RULES),
    tally_options,
    undecided=("missing",),
)
fitted_data_options = option_group(
    "source", InputOptions, data_argument, layout_options, missing_option("refuse", FIT_RULES), tally_options
)
graph_input_options = option_group("source", InputOptions, data_argument, *_cells_as_stated, undecided=("missing",))
optional_input_options = option_group(
    "source", InputOptions, data_option, with_conditions(WITH_DATA, *_cells_as_stated), undecided=("missing",)
)
_written = names_option, output_option, provenance_option
output_options = option_group("output", OutputOptions, format_option(FORMATS), *_written)
edge_format_option = format_option(FORMATS[1:])
edge_output_options = option_group("output", OutputOptions, edge_format_option, *_written)
blanket_output_options = option_group(
    "output", OutputOptions, format_option(FORMATS[1:], instead={"blankets_only": "blankets"}), *_written
)
arc_output_options = option_group("output", OutputOptions, format_option(ARC_FORMATS), *_written)
learner_options = all_of(
    incomplete_input_options, learner_score_options, max_clique_option, output_options, standard_options
)
