import numpy as np
import pytest

from askance.study.design import read_study
from askance.study.results import Curves, Results
from askance.study.summary import (
    PAPER,
    best_columns,
    by_cover_size,
    errors_of,
    median_curves,
    names_of,
    summary,
    winners,
)

TEXT = """
permutations = 1
budgets = [10, 20]
[[data]]
embedded = ["digits"]
[[learners]]
algorithm = "passive"
learning_rate = [0.4, 0.8, 1.6]
[[learners]]
algorithm = "online_active_cover"
cover_size = [3, 6]
learning_rate = 0.4
"""


def results_of(*flat: list[float], seconds: float = 1.0) -> Results:
    """One data set for each list of constant errors, in the order of the study's settings."""
    curves = [
        Curves(
            f"set{i}",
            [1],
            np.repeat(np.array(errors)[None, :, None], 2, axis=2),
            np.tile(np.array([10, 20]), (1, len(errors), 1)),
            np.arange(len(errors))[None] * seconds,
        )
        for i, errors in enumerate(flat)
    ]
    return Results(read_study("study.toml", TEXT), curves, {})


#                  passive .4, .8, 1.6; cover 3, 6
TWO = results_of([0.4, 0.2, 0.3, 0.1, 0.2], [0.4, 0.4, 0.2, 0.4, 0.2])


def test_the_summary_by_hand():
    found = summary(TWO, repeats=5)
    # Gains of passive: 0, .5, .25 and 0, 0, .5; of the cover .75, .5 and 0, .5.
    assert found["passive"]["per_data"].value == pytest.approx(0.5)
    assert found["passive"]["fixed"].value == pytest.approx(0.375)
    cover = found["online_active_cover"]
    assert cover["per_data"].value == pytest.approx(0.625)
    assert cover["fixed"].value == pytest.approx(0.5)
    assert cover["fixed"].literal == pytest.approx(0.5)
    assert (cover["per_data"].paper, cover["fixed"].paper) == PAPER["online_active_cover"]
    # Each draw is of the same resample for both; no resample of these has passive ahead.
    assert (cover["fixed"].anew >= found["passive"]["fixed"].anew).all()


def test_the_chosen_setting_is_kept_or_chosen_anew():
    found = summary(TWO, repeats=40)["online_active_cover"]
    # The cover of 6 gains .5 on both sets; of those of 3 a resample may hold the first set alone.
    assert set(found["fixed"].kept) == {0.5}
    assert set(found["fixed"].anew) == {0.5, 0.75}
    # With settings for each the first set keeps the cover of 3, the second that of 6.
    assert set(found["per_data"].kept) == {0.5, 0.625, 0.75}
    assert len(found["fixed"].kept) == len(found["fixed"].anew) == 40


def test_halves_are_for_one_setting():
    found = summary(TWO, repeats=1)
    cover, passive = found["online_active_cover"], found["passive"]
    # The first set would take the cover of 3, worth 0 on the second; the second that of 6.
    assert sorted(cover["fixed"].halves[:2].tolist()) == pytest.approx([0.0, 0.5])
    assert sorted(passive["fixed"].halves[:2].tolist()) == pytest.approx([0.0, 0.25])
    # The same half chooses for both.
    chosen_by_first = cover["fixed"].halves == 0.0
    assert np.array_equal(chosen_by_first, passive["fixed"].halves == 0.0)
    assert len(cover["per_data"].halves) == 0


def test_the_chosen_settings_and_their_errors():
    assert best_columns(TWO, "online_active_cover", "fixed") == (4, 4)
    assert best_columns(TWO, "online_active_cover", "per_data") == (3, 4)
    assert [e[0, 0] for e in errors_of(TWO, "online_active_cover", "per_data")] == [0.1, 0.2]


def test_winners_say_whether_they_lie_inside():
    size, rate = winners(TWO)
    assert (rate.name, rate.parameter, rate.fixed, rate.inside) == (
        "passive",
        "learning_rate",
        1.6,
        1,
    )
    assert (size.parameter, size.smallest, size.largest, size.inside) == ("cover_size", 3, 6, 0)
    assert size.data_sets == 2


def test_cover_sizes_by_hand():
    three, six = by_cover_size(TWO, "online_active_cover")
    assert three == pytest.approx((3, 0.375, 0.375, 3.0))
    assert six == pytest.approx((6, 0.5, 0.5, 4.0))


def test_names_are_in_the_papers_order():
    assert names_of(TWO.study) == ["online_active_cover", "passive"]
    study = read_study("s.toml", TEXT.replace('"passive"', '"passive"\nname = "mine"'))
    assert names_of(study) == ["online_active_cover", "mine"]


def test_gain_curves_by_hand():
    found = median_curves(TWO, "fixed", None)
    # The cover of size 6 halves the error on both sets; passive at 1.6 gains .25 and .5.
    assert found["online_active_cover"].tolist() == pytest.approx([0.5, 0.5])
    assert found["passive"].tolist() == pytest.approx([0.375, 0.375])


def test_the_papers_numbers_are_those_of_its_table():
    best = max(PAPER, key=lambda name: PAPER[name][0])
    fixed = max(PAPER, key=lambda name: PAPER[name][1])
    assert (best, fixed) == ("online_active_cover", "oracular_iwal0")
