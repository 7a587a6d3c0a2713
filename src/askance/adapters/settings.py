"""What the adapters share: parameters of other people's frames as settings of ours."""

from typing import Any

from askance.errors import InvalidParameter
from askance.live.budget import Budget

__all__ = ["budget_of", "settings_of"]


def budget_of(label_budget: int | None) -> Budget:
    """A total of labels as a budget.

    >>> budget_of(0)
    Traceback (most recent call last):
    askance.errors.InvalidParameter: label_budget must be a positive whole number or None, got 0
    """
    try:
        return Budget(total=label_budget)
    except InvalidParameter:
        raise InvalidParameter(
            f"label_budget must be a positive whole number or None, got {label_budget!r}"
        ) from None


def settings_of(parameters: dict[str, Any] | None, **named: Any) -> dict[str, Any]:
    """Join named parameters, where they are not None, and further ones.

    >>> settings_of({"cover_size": 6}, c0=0.1, learning_rate=None)
    {'c0': 0.1, 'cover_size': 6}
    """
    return {name: value for name, value in named.items() if value is not None} | (parameters or {})
