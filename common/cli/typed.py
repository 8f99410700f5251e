"""The options of a run as they were given: their values, which of them were typed, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Self

import click
from click.core import ParameterSource

TYPED_TEXTS = "cliquewise.typed"  # of a click context: the texts typed, by parameter name, and the parameters in order


@dataclass(frozen=True)
class TypedOptions:
    """The options of a command.

    Attributes
    ----------
    command : click.Command
    params : dict of str to object
        The values of all of them, by parameter name.
    typed : set of str
        Those that were given, even with their defaults.
    texts, order
        The values that were typed, as text or as True or False; and their parameters in order.
    """

    command: click.Command
    params: Mapping[str, Any]
    typed: AbstractSet[str]
    texts: Mapping[str, Any] = field(default_factory=dict)
    order: Sequence[click.Parameter] = ()

    @classmethod
    def of(cls, context: click.Context) -> Self:
        """The options of a running command."""
        texts, order = context.meta.get(TYPED_TEXTS, ({}, ()))
        typed = {name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
        return cls(context.command, context.params, typed, texts, order)
