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


def claims_of(**changed: list[float]):
    """The claims that these gains make, some of them changed."""
    gains = GAINS | changed
    results = results_of({name: [0.4 - 0.4 * g for g in gains[name]] for name in GAINS})
    return {c.text: c for c in claims(results, summary(results, repeats=4))}


@pytest.fixture
def found():
    return claims_of()


def of(found, start):
    (claim,) = (claim for text, claim in found.items() if text.startswith(start))
    return claim


def test_curves_are_checked_at_the_budgets_they_speak_of(found):
    assert of(found, "With one setting for all data sets the two IWAL").verdict == "holds"
    assert of(found, "but both outperform").found.startswith("at 2 of 2 budgets")
    ahead = of(found, "OAC is better than both oracular")
    assert (ahead.verdict, ahead.found.split(";")[0]) == ("holds in part", "at 1 of 2 budgets")
    assert of(found, "and worse than both afterwards").verdict == "does not hold"
    assert of(found, "With settings for each data set OAC is the best").verdict == "holds"
    assert of(found, "after a few hundred").found.endswith("by up to 0.200")


@pytest.mark.parametrize(
    ("changed", "budgets"),
    [
        ({"iwal1": [-0.1, 0.15, 0.5]}, 1),  # One of them is behind the oracular ones at 160.
        ({"iwal0": [-0.1, 0.15, 0.2]}, 0),
        ({"oracular_iwal0": [0.1, 0.2, 0.6]}, 1),  # One oracular algorithm is ahead at 640.
        ({"online_active_cover": [0.2, 0.6, 0.4]}, 1),
        ({"passive": [0.0, 0.55, 0.55]}, 0),  # Passive learning is ahead of both.
        ({"passive": [0.0, 0.3, 0.3]}, 2),
    ],
)
def test_iwal_outperforms_only_where_both_do_and_all_others(changed, budgets):
    claim = of(claims_of(**changed), "but both outperform OAC, the oracular ones and passive")
    assert claim.found.startswith(f"at {budgets} of 2 budgets; at {budgets} if")


@pytest.mark.parametrize(
    ("at_640", "verdict"),
    [((0.5, 0.3), "does not hold"), ((0.3, 0.5), "does not hold"), ((0.5, 0.5), "holds")],
)
def test_the_cover_is_worse_only_than_both(at_640, verdict):
    zero, one = ([0.1, 0.2, gain] for gain in at_640)
    claim = of(claims_of(oracular_iwal0=zero, oracular_iwal1=one), "and worse than both afterwards")
    assert claim.verdict == verdict


@pytest.mark.parametrize(
    ("at_10", "budgets"), [((0.3, 0.1), 0), ((0.1, 0.3), 0), ((0.1, 0.1), 1), ((0.3, 0.3), 0)]
)
def test_the_cover_is_better_only_than_both(at_10, budgets):
    zero, one = ([gain, 0.2, 0.3] for gain in at_10)
    claim = of(claims_of(oracular_iwal0=zero, oracular_iwal1=one), "OAC is better than both")
    assert claim.found.startswith(f"at {budgets} of 2 budgets")


def test_who_gains_most_is_measured_against_passive_learning_too():
    most = {"oracular_iwal0": [0.9, 0.9, 0.9]}
    start = "ORA0 gains most with one setting"
    assert of(claims_of(**most), start).verdict == "holds"
    assert of(claims_of(**most, passive=[0.95] * 3), start).verdict == "does not hold"


def test_the_table_is_checked_with_its_resamples(found):
    # Areas gain the mean of the first and second, times 4, and of the second and third, times 2.
    iwal = (4 * 0.2 + 2 * 0.5) / 6
    cover = (4 * 0.15 + 2 * 0.25) / 6
    most = of(found, "With settings for each data set OAC gains most")
    assert most.verdict == "does not hold"
    assert f"IWAL0 {iwal:.4f}" in most.found
    assert most.found.endswith(
        f"OAC {cover:.4f}, passive 0.0000; in 0% of resamples with settings kept, 0% if chosen anew"
    )
    slightly = of(found, "IWAL1 and OAC gain more than passive")
    assert slightly.verdict == "holds"
    assert slightly.found.endswith("in 100% of resamples with settings kept, 100% if chosen anew")
    assert of(found, "With one setting for all data sets passive").verdict == "does not hold"


def test_shares_are_of_the_settings_kept_chosen_anew_and_of_other_halves(found):
    results = results_of({name: [0.4, 0.4, 0.4] for name in GAINS})
    gains = summary(results, repeats=4)
    draws = {"kept": [0.0, 0.0, 0.0, 0.1], "anew": [0.0, 0.1, 0.1, 0.1], "halves": [0.1, 0.0]}
    ahead = {kind: np.array(values) for kind, values in draws.items()}
    level = {kind: np.zeros(len(values)) for kind, values in draws.items()}
    for name, of_name in gains.items():
        one = ahead if name in ("iwal1", "online_active_cover") else level
        gains[name] = {"per_data": of_name["per_data"], "fixed": of_name["fixed"]._replace(**one)}
    said = {c.text: c for c in claims(results, gains)}
    slightly = of(said, "IWAL1 and OAC gain more than passive").found
    assert slightly.endswith(
        "; in 25% of resamples with settings kept, 75% if chosen anew; on 50% of other halves"
    )


def test_ranges_and_permutations(found):
    assert of(found, "Good hyper-parameters").found == "6 of 6 best values for a data set do"
    assert "IWAL0 0.000" in of(found, "The variation by permutation").found


def test_without_the_papers_algorithms_nothing_is_claimed():
    results = results_of({name: [0.4, 0.4, 0.4] for name in GAINS})
    gains = summary(results, repeats=1)
    assert claims(results, gains)
    del gains["iwal0"]
    assert claims(results, gains) == []
