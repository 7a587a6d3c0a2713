"""A line for whoever waits while kernels are compiled."""

import logging
from collections.abc import Callable
from typing import Any

from askance.kernels._jit import is_compiled
from askance.protocols import Learner

__all__ = ["announce"]

logger = logging.getLogger("askance")

_announced: list[str] = []
_known: set[tuple[Any, ...]] = set()


def announce(learner: Learner, kernel: Callable[..., Any], *arguments: Any) -> None:
    """Say, once in a process, that a kernel must be compiled for a learner before it can run."""
    # To find out takes longer than a short pass, so it is done once for each kind of arrays.
    kinds = (kernel, *(getattr(argument, "dtype", None) for argument in arguments))
    # The first wait explains all: later kernels of the same command are smaller or share code.
    if _announced or kinds in _known:
        return
    _known.add(kinds)
    if is_compiled(kernel, *arguments):
        return
    name = type(learner).__name__
    _announced.append(name)
    message = "compiling %s for this machine: this takes a few seconds, the first time only"
    logger.warning(message, name)
