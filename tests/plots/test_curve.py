from askance.plots.curve import label_budgets, sum_up
from askance.types import ResultRow, Run


def test_quartiles_are_over_the_runs_at_budgets_and_at_the_end():
    runs = [
        Run((ResultRow(10, 10, 50, error, True),), 90, asked, error / 2, "stream over")
        for error, asked in [(0.1, 30), (0.2, 20), (0.3, 40), (0.4, 50), (0.5, 60)]
    ]
    found = sum_up("one", runs)
    assert found.budgets == (10,)
    assert [found.lower[0], found.median[0], found.upper[0]] == [0.2, 0.3, 0.4]
    assert (found.asked, found.final) == (40.0, 0.15)


def test_labels_to_reach_an_error(curve):
    found = curve([0.3, 0.1, 0.05, 0.03], asked=45)
    assert found.labels_to_reach(0.2) == 20
    assert found.labels_to_reach(0.05) == 40
    assert found.labels_to_reach(0.03) is None, "budget 80 was never asked"


def test_a_curve_in_plain_values(curve):
    found = curve([0.5, 0.25], asked=15).as_json()
    assert found["budgets"] == [10, 20]
    assert found["median"] == [0.5, 0.25]
    assert (found["labels"], found["error"]) == (15, 0.02)


def test_budgets_double_up_to_the_last():
    assert label_budgets(1) == (1,)
    assert label_budgets(10) == (10,)
    assert label_budgets(11) == (10, 11)
    assert label_budgets(10240)[-3:] == (2560, 5120, 10240)
