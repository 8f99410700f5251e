"""Limits on resources: `--threads`, `--cache-mb`, `--memory`; and `--dry-run`, which prints the estimate and exits."""

from __future__ import annotations

import click

from ..learning.resources import ResourceOptions
from .memory import memory_option
from .option_group import option_group
from .options import resource_option, threads_option

cache_option = resource_option(
    "--cache-mb",
    type=click.IntRange(min=1),
    metavar="MB",
    help="Memory for cached scores.",
)
_dry_run = resource_option(
    "--dry-run", in_python=False, is_flag=True, help="Print the time and memory that the run would need, and exit."
)
_uncached = memory_option, _dry_run
resource_options = option_group("resources", ResourceOptions, threads_option, cache_option, *_uncached)
uncached_resource_options = option_group("resources", ResourceOptions, threads_option, *_uncached)
