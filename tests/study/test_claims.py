import numpy as np
import pytest

from askance.study.claims import claims
from askance.study.design import read_study
from askance.study.results import Curves, Results
from askance.study.summary import PAPER, summary

TEXT = """
permutations = 1
budgets = [10, 160, 640]
[[data]]
embedded = ["digits"]
[base]
algorithm = "passive"
learning_rate = 0.4
""" + "".join(
    f'[[learners]]\nalgorithm = "{name}"\nlearning_rate = [0.1, 0.4, 0.8]\n' for name in PAPER
)


def results_of(flat: dict[str, list[float]]) -> Results:
    """One data set and permutation; errors by algorithm at each budget, the best rate inside."""
    study = read_study("study.toml", TEXT)
    errors = np.array(
        [
            np.array(flat[algorithm]) if "0.4" in setting else np.full(3, 0.5)
            for algorithm, setting in study.settings()
        ]
    )[None]
    queries = np.tile([10, 160, 640], (1, len(study.settings()), 1))
    curves = Curves("digits", [1], errors, queries, np.ones(errors.shape[:2]))
    return Results(study, [curves], {})


# Relative gains at 10, 160 and 640 labels, over the base's error of 0.4 at each.
GAINS = {
    "passive": [0.0, 0.0, 0.0],
    "iwal0": [-0.1, 0.5, 0.5],
    "iwal1": [-0.1, 0.5, 0.5],
    "oracular_iwal0": [0.1, 0.2, 0.3],
    "oracular_iwal1": [0.1, 0.2, 0.3],
    "online_active_cover": [0.2, 0.1, 0.4],
}


@pytest.fixture
def found():
    errors = {name: [0.4 - 0.4 * gain for gain in gains] for name, gains in GAINS.items()}
    results = results_of(errors)
    return {c.text: c for c in claims(results, summary(results, repeats=4))}


def of(found, start):
    (claim,) = (claim for text, claim in found.items() if text.startswith(start))
    return claim


def test_curves_are_checked_at_the_budgets_they_speak_of(found):
    assert of(found, "With one setting for all data sets the two IWAL").verdict == "holds"
    assert of(found, "but IWAL outperforms").found.startswith("at 2 of 2 budgets")
    ahead = of(found, "OAC is better than the oracular")
    assert (ahead.verdict, ahead.found.split(";")[0]) == ("holds in part", "at 1 of 2 budgets")
    assert of(found, "and worse afterwards").verdict == "does not hold"
    assert of(found, "With settings for each data set OAC is the best").verdict == "holds"
    assert of(found, "after a few hundred").found.endswith("by up to 0.200")


def test_the_best_of_several_is_the_one_to_beat():
    """OAC between the two oracular ones is not better than they are."""
    gains = GAINS | {"oracular_iwal0": [0.0, 0.0, 0.0], "oracular_iwal1": [0.3, 0.3, 0.3]}
    errors = {name: [0.4 - 0.4 * gain for gain in some] for name, some in gains.items()}
    results = results_of(errors)
    found = {c.text: c for c in claims(results, summary(results, repeats=1))}
    ahead = of(found, "OAC is better than the oracular")
    assert (ahead.verdict, ahead.found.split(";")[0]) == ("does not hold", "at 0 of 2 budgets")


def test_the_table_is_checked_with_its_resamples(found):
    # Areas gain the mean of the first and second, times 4, and of the second and third, times 2.
    iwal = (4 * 0.2 + 2 * 0.5) / 6
    cover = (4 * 0.15 + 2 * 0.25) / 6
    most = of(found, "With settings for each data set OAC gains most")
    assert most.verdict == "does not hold"
    assert f"IWAL0 {iwal:.4f}" in most.found
    assert most.found.endswith(f"OAC {cover:.4f}; in 0% of resamples")
    slightly = of(found, "IWAL1 and OAC gain more than passive")
    assert slightly.verdict == "holds"
    assert slightly.found.endswith("in 100% of resamples")
    assert of(found, "With one setting for all data sets passive").verdict == "does not hold"


def test_ranges_and_permutations(found):
    assert of(found, "Good hyper-parameters").found == "6 of 6 best values for a data set do"
    assert "IWAL0 0.000" in of(found, "The variation by permutation").found


def test_without_the_papers_algorithms_nothing_is_claimed():
    results = results_of({name: [0.4, 0.4, 0.4] for name in GAINS})
    gains = summary(results, repeats=1)
    assert claims(results, gains)
    del gains["iwal0"]
    assert claims(results, gains) == []
