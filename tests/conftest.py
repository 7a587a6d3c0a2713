"""Profiles of hypothesis: the same examples in every run, fewer where nothing is compiled."""

import os

from hypothesis import settings

INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")

settings.register_profile("compiled", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("interpreted", max_examples=25, deadline=None, derandomize=True)
settings.load_profile("interpreted" if INTERPRETED else "compiled")
