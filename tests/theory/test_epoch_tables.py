import math

from askance.learners.epoch_records import EpochRecord
from askance.theory.epoch_tables import epoch_table


def record(epoch: int, share: float, queries: int, quantiles: tuple[float, ...]) -> EpochRecord:
    return EpochRecord(epoch, 3 * epoch - 3, 3 * epoch, share, queries, quantiles, 0.0, math.inf, 1)


def test_lines_are_means_over_runs_and_p_only_over_those_with_a_region() -> None:
    one = [record(1, 1.0, 3, (1.0,) * 5), record(2, 0.5, 2, (0.1, 0.2, 0.3, 0.4, 0.5))]
    two = [record(1, 1.0, 3, (1.0,) * 5), record(2, 0.0, 0, ())]
    first, second, third, fourth = epoch_table({"a": [one, two], "b": [two]})
    assert (first.setting, first.queries, first.P) == ("a", 3, "1 1 1 1 1")
    assert (second.region_share, second.queries) == (0.25, 1)
    assert (second.examples, second.P) == ("4 to 6", "0.1 0.2 0.3 0.4 0.5")
    assert (third.setting, fourth.P) == ("b", "none")


def test_long_runs_are_thinned_and_keep_both_ends() -> None:
    shown = [
        line.epoch for line in epoch_table({"a": [[record(m, 1, 1, ()) for m in range(1, 201)]]})
    ]
    assert (len(shown), shown[0], shown[-1]) == (20, 1, 200)
