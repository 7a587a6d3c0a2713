"""Forged files: each part is changed, with valid checksums, and refused or harmless."""

import contextlib
import copy
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from askance.data.features import FeatureMap
from askance.data.features.indexers import Hashing, Numbered
from askance.errors import AskanceError, FileUnreadable, InvalidParameter
from askance.live import ActiveLearner, Budget
from askance.storage.states import LARGEST_STATE, read_state, write_state
from askance.types import Row, State

KIND = "active learner"
PEOPLE = [
    {"age": 39, "job": "clerk"},
    {"age": 50, "job": "baker"},
    {"age": 20, "job": "smith at sea"},
]


def rows(count: int) -> list[Any]:
    rng = np.random.default_rng(3)
    return [rng.normal(size=4) * (rng.random(4) < 0.7) for _ in range(count)]


def grown(live: ActiveLearner, examples: list[Any]) -> ActiveLearner:
    """Some questions answered, some withdrawn, two of them pending."""
    for i, x in enumerate(examples):
        live.ask(x)
        waiting = live.pending()
        if len(waiting) > 2:
            if i % 5 == 4:
                live.withdraw(waiting[0])
            else:
                live.tell(waiting[1], 1 if i % 3 else -1)
    return live


def cover() -> ActiveLearner:
    budget = Budget(total=30, labels=9, per=12)
    live = ActiveLearner("online_active_cover", n_features=4, cover_size=2, c0=0.1, budget=budget)
    return grown(live, rows(40))


def mapped() -> ActiveLearner:
    features = FeatureMap(Hashing(bits=4, capacity=9), text=["job"], ngrams=2)
    features.learn_scales(PEOPLE)
    live = ActiveLearner("margin", features=features, classes=("no", "yes"), b=3.0)
    return grown(live, PEOPLE * 5)


def fitted() -> ActiveLearner:
    live = ActiveLearner("passive", features=FeatureMap.fit(PEOPLE), rates="constant")
    return grown(live, PEOPLE * 4)


def numbered() -> ActiveLearner:
    live = ActiveLearner("iwal0", features=FeatureMap(Numbered(4)), dtype="float64", c0=0.1)
    return grown(live, rows(20))


def epochs() -> ActiveLearner:
    live = ActiveLearner("oracular_cal", n_features=4, estimator=BernoulliNB(alpha=2.0), probes=2)
    return grown(live, rows(14))


LEARNERS: dict[str, Callable[[], ActiveLearner]] = {
    "cover": cover,
    "mapped": mapped,
    "fitted": fitted,
    "numbered": numbered,
    "epochs": epochs,
}


def leaves(tree: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value, list and dictionary of a tree."""
    if at:
        yield at
    if isinstance(tree, dict):
        for key, part in tree.items():
            yield from leaves(part, (*at, key))
    elif isinstance(tree, list):
        # Of long lists, the ends.
        for place in sorted({0, len(tree) - 1} if tree else ()):
            yield from leaves(tree[place], (*at, place))


def is_array(tree: Any, at: tuple[Any, ...]) -> bool:
    for key in at:
        tree = tree[key]
    return isinstance(tree, np.ndarray)


def changed(tree: State, at: tuple[Any, ...], change: Callable[[Any], Any]) -> State:
    whole = copy.deepcopy(tree)
    inner: Any = whole
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = change(inner[at[-1]])
    return whole


OTHERS = [
    None, True, -1, 0, 1, 2, 3, 7, 10**6, 10**12, 2**62, 2**63, 10**40, -(10**40), 0.5, -0.5,
    1e308, math.nan, math.inf, -math.inf, "", "x", "PCG64", "passive", [], [0], [[]],
    [-1, -1, 10**9], {}, {"x": 1}, {"class": "system", "parameters": {}},
    np.zeros(0), np.zeros((2, 2)), np.array([10**9]), np.full(5, np.nan),
]  # fmt: skip


def forged(array: np.ndarray[Any, Any], chance: random.Random) -> np.ndarray[Any, Any]:
    """The array with another size, type, order or entry."""
    ways: list[Callable[[], Any]] = [
        lambda: array[:-1],
        lambda: np.append(array, array[-1:]),
        lambda: array[::-1],
        lambda: array.reshape(1, -1),
        lambda: array.astype(np.float64),
        lambda: array.astype(np.float16),
        lambda: array.astype(np.int8),
        lambda: array.astype(np.uint64),
        lambda: array.astype("U5"),
        lambda: -array if array.dtype.kind != "b" else ~array,
    ]
    wild = [-1, -(2**31), 2**31 - 1, 2**31, 2**62, 10**6, 4, 5, 0, 2]
    wild += [math.nan, math.inf, 1e300, -1e-300, 1.5]
    way = chance.randrange(len(ways) + 12)
    with np.errstate(all="ignore"):
        if way < len(ways) or not array.size:
            found: np.ndarray[Any, Any] = ways[way % len(ways)]()
            return found
        entry = np.array(chance.choice(wild)).astype(array.dtype)
    copied = array.copy()
    copied[chance.randrange(len(array))] = entry
    return copied


def is_harmless(live: ActiveLearner, again: Path) -> None:
    """Whatever a learner does can be done with it."""
    x = Row(np.arange(min(3, live.n_features)), np.ones(min(3, live.n_features)))
    assert live.predict(x) in (-1, 1)
    if hasattr(live.learner, "erm"):
        live.margins(csr_array((1, live.n_features)))
    stats = live.stats()
    assert stats.seen >= stats.answered + stats.pending + stats.withdrawn
    for id in live.pending():
        live.tell(id, 1)
    for _ in range(3):
        question = live.ask(x)
        if question.wanted:
            live.tell(question, -1)
    sample = live.weighted_sample()
    assert sample.X.toarray().shape == (len(sample.y), live.n_features)
    assert (sample.weight >= 1).all()
    if live.features is not None:
        live.features.known()
    live.save(again)


def forgeries(name: str, state: State) -> Iterator[State]:
    """Each array of the file in turn is replaced by a dozen others, each other value by six."""
    chance = random.Random(5)

    def change(old: Any) -> Any:
        if isinstance(old, np.ndarray) and chance.random() < 0.9:
            return forged(old, chance)
        if type(old) is int and chance.random() < 0.3:
            return old + chance.choice((-1, 1))
        return chance.choice(OTHERS)

    # Fits take their time, and the other parts of a learner in epochs are those of the others.
    slow = name == "epochs"
    for at in leaves(state):
        times = 12 if is_array(state, at) else 3 if slow else 6
        if not slow or at[0] in ("preset", "learner"):
            yield from (changed(state, at, change) for _ in range(times))


@pytest.mark.parametrize("name", LEARNERS)
def test_forged_files_are_refused_or_harmless(name: str, tmp_path: Path) -> None:
    LEARNERS[name]().save(tmp_path / "live")
    believed = 0
    for state in forgeries(name, read_state(tmp_path / "live", KIND)):
        write_state(tmp_path / "forged", KIND, state)
        try:
            live = ActiveLearner.load(tmp_path / "forged")
        except (FileUnreadable, InvalidParameter):
            continue
        believed += 1
        # A sentence is an answer too, where the budget or the features are others.
        # Interpreted kernels warn of inf and nan, which compiled ones pass on in silence.
        with contextlib.suppress(AskanceError), np.errstate(all="ignore"):
            is_harmless(live, tmp_path / "again")
    assert believed > 20


def forge(path: Path, live: ActiveLearner, *at: Any, to: Any) -> Path:
    live.save(path)
    write_state(path, KIND, changed(read_state(path, KIND), at, lambda _: to))
    return path


@pytest.mark.parametrize("index", [-5, 4, 10**9])
@pytest.mark.parametrize("which", ["pending", "answered"])
def test_indices_out_of_range(which: str, index: int, tmp_path: Path, refused: Any) -> None:
    live = cover()
    live.save(tmp_path / "live")
    state = read_state(tmp_path / "live", KIND)
    state[which]["rows"]["indices"][-1] = index
    write_state(tmp_path / "live", KIND, state)
    with refused(FileUnreadable, "is damaged or forged: saved indices must lie in 0.."):
        ActiveLearner.load(tmp_path / "live")


@pytest.mark.parametrize(
    ("at", "to", "sentence"),
    [
        (("preset", "n_features"), 10**12, "5 saved weights do not belong to 1000000000000 feat"),
        (
            ("preset", "cover_size"),
            10**9,
            "cover_size must be a whole number from 0 to 10,000",
        ),
        (("counts",), [40, 40, 0], "saved questions and counts must agree"),
        (("coin",), 1.0, "a saved coin must lie in [0, 1), got 1.0"),
        (("ledger", "bought"), 0, "a saved ledger must have bought"),
        (("ledger", "recent"), [0], "saved recent must be at most 9 numbers of bought labels"),
        (("withdrawn",), [0, 0], "saved questions and counts must agree"),
        (("generator", "has_uint32"), 1, "a saved has_uint32 must be a whole number from 0 to 0"),
        (("learner", "k"), -1, "a saved k must be a whole number from 0 to"),
        (("learner", "k"), 0, "a saved k must be at least"),
        (("learner", "numerators"), [math.nan, 0.0], "a saved numerators must be finite"),
        (("budget", "total"), -3, "total must be a whole number from 1 on, got -3"),
    ],
)
def test_what_is_said(
    at: tuple[Any, ...], to: Any, sentence: str, tmp_path: Path, refused: Any
) -> None:
    with refused(FileUnreadable, sentence):
        ActiveLearner.load(forge(tmp_path / "live", cover(), *at, to=to))


@pytest.mark.parametrize(
    ("at", "to", "sentence"),
    [
        (("features", "indexer", "capacity"), 10**12, "capacity must be from 0 to 4194304"),
        (("features", "indexer", "bits"), 30, "saved features must be at most 16, got 1073741824"),
        (("features", "indexer", "names"), ["a"] * 2, "saved names must be different strings"),
        (("features", "ngrams"), 0, "ngrams must be 1 or more, got 0"),
    ],
)
def test_what_is_said_of_features(
    at: tuple[Any, ...], to: Any, sentence: str, tmp_path: Path, refused: Any
) -> None:
    with refused(FileUnreadable, sentence):
        ActiveLearner.load(forge(tmp_path / "live", mapped(), *at, to=to))


def test_very_long_ngrams_cost_nothing(tmp_path: Path) -> None:
    live = ActiveLearner.load(forge(tmp_path / "f", mapped(), "features", "ngrams", to=10**12))
    assert live.predict({"job": "smith at sea"}) in (-1, 1)


# Estimators


@pytest.mark.parametrize(
    ("estimator", "sentence"),
    [
        ({"class": "os.system", "parameters": {}}, "must be one of the listed, got"),
        ({"class": "SVC", "parameters": {}}, "must be one of the listed, got"),
        ({"class": "LogisticRegression", "parameters": {"C": {}}}, "plain parameters of its own"),
        ({"class": "LogisticRegression", "parameters": {"D": 1}}, "plain parameters of its own"),
        ({"class": "RandomForestClassifier", "parameters": {"n_estimators": 10**9}}, "plain"),
    ],
)
def test_forged_estimators(estimator: State, sentence: str, tmp_path: Path, refused: Any) -> None:
    path = forge(tmp_path / "live", epochs(), "preset", "estimator", to=estimator)
    with refused(FileUnreadable, sentence):
        ActiveLearner.load(path)


def test_forged_sizes_of_a_sample(tmp_path: Path, refused: Any) -> None:
    path = forge(tmp_path / "live", epochs(), "preset", "n_features", to=10**12)
    with refused(FileUnreadable, f"take more than {LARGEST_STATE} bytes"):
        ActiveLearner.load(path)


def same_future(live: ActiveLearner, other: ActiveLearner) -> None:
    assert other.stats() == live.stats()
    for x in rows(20):
        assert live.ask(x) == other.ask(x)


def test_listed_estimators_come_back_by_themselves(tmp_path: Path) -> None:
    live = epochs()
    live.save(tmp_path / "live")
    loaded = ActiveLearner.load(tmp_path / "live")
    assert loaded.preset["estimator"] == {"class": "BernoulliNB", "parameters": {"alpha": 2.0}}
    assert loaded.learner.oracle.estimator.alpha == 2.0  # type: ignore[attr-defined]
    same_future(live, loaded)


def test_other_estimators_are_handed_in(tmp_path: Path, refused: Any) -> None:
    pipeline = make_pipeline(MaxAbsScaler(), LogisticRegression())
    live = grown(ActiveLearner("active_cover", n_features=4, estimator=pipeline), rows(8))
    live.save(tmp_path / "live")
    with refused(InvalidParameter, "was saved with", "'Pipeline'", "pass it as estimator="):
        ActiveLearner.load(tmp_path / "live")
    same_future(live, ActiveLearner.load(tmp_path / "live", estimator=pipeline))
