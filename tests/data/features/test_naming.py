import pytest

from askance.data.features.naming import Naming


@pytest.mark.parametrize(
    ("name", "value", "features"),
    [
        ("age", 39, [("age", 39.0)]),
        ("smoker", True, [("smoker", 1.0)]),
        ("smoker", False, [("smoker", 0.0)]),
        ("job", "clerk", [("job=clerk", 1.0)]),
        ("job", "", [("job=", 1.0)]),
        ("body", "Good, good!", [("body^good", 1.0), ("body^good", 1.0), ("body^good_good", 1.0)]),
        ("tags", ["red", "blue"], [("tags=red", 1.0), ("tags=blue", 1.0)]),
        ("vector", [0.5, None, 2], [("vector^0", 0.5), ("vector^2", 2.0)]),
        ("user", {"job": "clerk", "age": 3}, [("user^job=clerk", 1.0), ("user^age", 3.0)]),
        (
            "user",
            {"note": "a b"},
            [("user^note^a", 1.0), ("user^note^b", 1.0), ("user^note^a_b", 1)],
        ),
        ("", {"age": 3}, [("age", 3.0)]),
        ("age", None, []),
    ],
)
def test_values_are_named_as_documented(name, value, features):
    naming = Naming(frozenset({"body", "user^note"}), ngrams=2)
    assert list(naming.features(name, value)) == features
