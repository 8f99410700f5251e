"""The options of a command for a learner: to refuse those without effect, and for the header of the result."""

from __future__ import annotations

from collections.abc import Mapping

from ..learning.host import Given
from .compatibility import check
from .provenance import command_line
from .typed import TypedOptions


class CommandOptions(TypedOptions, Given):
    """The options of a command."""

    def reject(self, **known: str | None) -> None:
        """Refuse options that have no effect, see `common.cli.compatibility`."""
        check(self, **known)

    def command_line(self, value: float | None, chosen: Mapping[str, str | None]) -> str:
        """See `common.cli.provenance`."""
        return command_line(self, value, chosen)
