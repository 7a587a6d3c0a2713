import pytest

from askance.adapters.settings import budget_of, settings_of
from askance.errors import InvalidParameter
from askance.live.budget import Budget


def test_a_total_of_labels_is_a_budget() -> None:
    assert budget_of(7) == Budget(total=7)
    assert budget_of(None) == Budget()


@pytest.mark.parametrize("bad", [0, -3, 2.5, True, "many"])
def test_a_budget_that_is_none_is_named(bad: object) -> None:
    with pytest.raises(InvalidParameter, match="label_budget must be a positive whole number"):
        budget_of(bad)


def test_further_parameters_come_on_top() -> None:
    assert settings_of(None, c0=None) == {}
    assert settings_of({"c0": 2.0, "b": 1.0}, c0=0.1) == {"c0": 2.0, "b": 1.0}
