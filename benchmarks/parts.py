"""Where the time of a pass goes: sampled by hand, for it needs a profiler and much patience."""

from benchmarks.table import Section

__all__ = ["PROFILE"]

_TEXT = """Shares of a pass of Online Active Cover at c0 = 0.1, in percent, by sampling the compiled
code 2,000 times a second (Linux `perf`, 2026-11-15, commit 16a39a0: before `decide` and `learn`
were merged into their callers, which hides them from a profiler).

No single part stands out. `learn` holds the walk over the cover, one member after the other, and
all else that was merged into it; they were not told apart. A lane beyond whole vectors seems dear:
cover 16 took 0.58 s where cover 15 took 0.44 (CPU, sparse, c0 = 0.01, one comparison on a busy
machine); 12 members and the first classifier are 13 lanes. Walking the members of many settings
side by side, in loops over settings, was tried for the grid and was slower at each of five group
sizes (one run each, busy machine)."""

_PARTS = {
    "margins, decisions (`decide`)": (14, 19, 17, 15, 10, 9),
    "sensitivities (`sweep_movements`)": (10, 9, 7, 10, 7, 4),
    "walk over the cover and the rest of `learn`": (20, 20, 29, 14, 16, 27),
    "rates (`sweep_rates`)": (9, 14, 20, 11, 18, 21),
    "steps (`_find_steps`, `_find_pushes`)": (7, 10, 8, 7, 13, 10),
    "updates (`_apply`)": (13, 10, 8, 19, 18, 16),
    "reading and scaling rows (`run`, `load_row`)": (19, 11, 7, 17, 11, 8),
}

PROFILE = Section(
    "Where the time goes",
    _TEXT,
    ["part", *(f"{name}, cover {size}" for name in ("sparse", "dense") for size in (3, 12, 48))],
    [[name, *map(str, shares)] for name, shares in _PARTS.items()],
)
