import pytest

from askance.theory.guarantees import choices_run, guarantee_run, label_run, summarise_guarantees


def test_theory_constants_say_nothing_yet_and_are_never_wrong() -> None:
    run = guarantee_run("theory", seed=0, n=384)
    assert run.kept_best
    assert run.within_bound
    assert run.bias_holds
    assert set(run.good_share) == {1.0}
    assert run.bound[-1] > 1


def test_practical_constants_keep_the_best_and_shrink() -> None:
    runs = [guarantee_run("practical", seed, n=1536) for seed in range(3)]
    line = summarise_guarantees(runs)[0]
    assert line.kept_best == line.within_bound == line.bias_holds == 3
    assert line.last_good_share < 0.3
    assert all(max(run.mean_bias) > 0 for run in runs)


def test_the_bias_is_read_from_the_sample() -> None:
    run = guarantee_run("practical", seed=0, n=1536)
    # While the region is everything the sample has no prediction in it, and no bias.
    regions = [record.region_share for record in run.records]
    for region, bias in zip(regions, run.mean_bias, strict=True):
        assert bias == 0 if region == 1 else bias >= 0
    assert run.mean_bias[-1] > 0.03
    assert run.largest[0] == max(run.largest) == pytest.approx(0.35)
    assert run.largest[-1] < 0.05


def test_too_small_a_radius_loses_the_best() -> None:
    runs = [guarantee_run("practical, small c0", seed, n=384) for seed in range(6)]
    assert summarise_guarantees(runs)[0].kept_best < 6


def test_beta_spares_labels_when_the_opposite_is_in_the_class() -> None:
    with_beta, without, unit = choices_run(seed=0, n=192)
    assert with_beta.mean_probability < without.mean_probability
    assert with_beta.queries < without.queries
    assert unit.epochs == 190
    assert with_beta.epochs == 7


def test_the_label_bound_by_its_terms() -> None:
    run = label_run(noise=0.2, seed=0, n=768)
    assert run.theta == 2.0
    assert run.queries < run.leading < run.bound
    assert label_run(noise=0.0, seed=0, n=768).leading == 0.0
