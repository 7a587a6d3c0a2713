"""Names that help texts list, kept apart from what they name: help must not wait for imports.

A test holds each of them against the library.
"""

__all__ = [
    "ALGORITHMS",
    "CONTESTANTS",
    "EXPERIMENTS",
    "FORMATS",
    "MANY_CONTESTANTS",
    "MOST_NGRAMS",
    "MOST_PERMUTATIONS",
    "USUAL_BUDGET",
]

ALGORITHMS = (
    "auto",
    "coal",
    "online_active_cover",
    "passive",
    "margin",
    "iwal0",
    "iwal1",
    "oracular_iwal0",
    "oracular_iwal1",
)
"""What :func:`askance.make_learner` builds."""

CONTESTANTS = ("auto", "auto:uniform_share=1", "online_active_cover", "iwal1")
"""What ``askance compare`` compares by default: ``auto``, its classifier of labels that were asked
at random, which shows what its questions are worth, and two algorithms of the paper."""

MANY_CONTESTANTS = ("auto", "auto:uniform_share=1", "coal", "iwal1", "margin", "passive")
"""The same where there are more than two classes, or costs."""

USUAL_BUDGET = "a tenth of the examples to learn from, from 20 to 500"
"""What ``run`` and ``compare`` buy unless told."""

EXPERIMENTS = (
    "hard",
    "realizable",
    "tsybakov",
    "solver",
    "guarantees",
    "deviations",
    "choices",
    "labels",
)
"""What ``askance theory run`` runs."""

FORMATS = ("csv", "tsv", "parquet", "jsonl", "libsvm", "libsvm0", "vw")
"""What a user's file may be."""

MOST_NGRAMS = 9
"""Words of the longest run that ``--ngrams`` takes."""

MOST_PERMUTATIONS = 1000
"""Shuffles of a file that ``compare`` takes: quartiles need no more, and each costs a run."""
