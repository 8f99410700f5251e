"""Tables read by keywords, the reading and what is needed of it in one call; headers of results."""

import re
from dataclasses import fields

from cliquewise.common.data import csvfile
from cliquewise.common.data.reading import Reading, TableNeeds


def read_csv(path, header="auto", missing="refuse", counts=None, progress=lambda share, text: None, **options):
    """`common.data.csvfile.read_csv`; `options` are the other fields of Reading and TableNeeds."""
    needed = {field.name: options.pop(field.name) for field in fields(TableNeeds) if field.name in options}
    reading = Reading(header=header, missing=missing, counts=counts, **options)
    return csvfile.read_csv(path, reading, TableNeeds(**needed), progress)


def labels_of(dataset):
    """The cells of a Dataset as a list of lists of labels."""
    return [[dataset.states[v][code] for v, code in enumerate(row)] for row in dataset.codes]


def header_of(text):
    """The `# key value` lines of a result."""
    return dict(re.findall(r"(?m)^# (\S+) (.*)$", text))
