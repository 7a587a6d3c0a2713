"""Where the time of a pass goes: sampled by hand, for it needs a profiler and much patience."""

from benchmarks.table import Section

__all__ = ["PROFILE"]

_TEXT = """Shares of a pass of Online Active Cover at c0 = 0.1, in percent, by sampling the compiled
code 2,000 times a second (Linux `perf`, 2026-11-15, commit 16a39a0: before `decide` and `learn`
were merged into their callers, which hides them from a profiler).

No single part stands out. With few lanes a sweep spends much of its time on entering its inner loop
once for each non-zero; the lane that is left over when lanes do not fill whole vectors (12 members
and the first classifier are 13) costs as much as a vector. With many lanes the walk over the cover,
one member after the other, takes the largest share: each member's weight depends on those before
it. Walking the members of many settings side by side, step by step, was tried for grids and was
slower, up to 50 settings wide."""

_PARTS = {
    "margins, decisions (`decide`)": (14, 19, 17, 15, 10, 9),
    "sensitivities (`sweep_movements`)": (10, 9, 7, 10, 7, 4),
    "walk over the cover (`learn`)": (20, 20, 29, 14, 16, 27),
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
