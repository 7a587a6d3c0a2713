"""A study's TOML file -> frozen records -> cells, each named by its content."""

import functools
import hashlib
import itertools
import json
import math
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from askance.data.catalog import CATALOG
from askance.data.reading.intake import Reading
from askance.data.splits import MOST_PERMUTATIONS
from askance.errors import AskanceError, FileUnreadable, InvalidParameter
from askance.kernels._jit import CODE_VERSION
from askance.presets import ALGORITHMS, checked, suggested
from askance.simulate import BUDGETS
from askance.study.fields import Fields, is_number, shown

__all__ = [
    "EMBEDDED",
    "MOST_BUDGETS",
    "MOST_CELLS",
    "MOST_SETTINGS",
    "Cell",
    "GridLearner",
    "Origin",
    "Parameters",
    "Study",
    "canonical",
    "code_of",
    "part_of",
    "read_study",
]

EMBEDDED = ("breast_cancer", "digits")
"""Data sets that come with scikit-learn."""

MOST_BUDGETS = 100
"""Budgets of a study."""

MOST_SETTINGS = 100_000
"""Settings of one contestant; the paper's largest grid has 1,100."""

MOST_CELLS = 5_000_000
"""Cells of a study, about as many as a gigabyte holds; the paper's has fewer than 500,000."""

LARGEST_BUDGET = 2**31 - 1
"""What a column of the store holds."""

LONGEST_LIST = 150
"""Characters of a list of names in a message."""

LARGEST_POWER = 1000
"""Of two, either way: a little less than a float can hold."""

_SWITCHES = ("oracular",)
"""Parameters that are true or false; elsewhere these are no numbers."""

_LISTS = ("members",)
"""Parameters whose value is a list of texts, so that a list of such lists is an axis."""

_GIVEN = {
    "n_features": "it comes from the data",
    "horizon": "it comes from the data",
    "budget": "it comes from the study's budgets",
    "seed": "it comes from the permutation",
    "estimator": "it is neither text nor a number",
    "n_classes": "it comes from the data",
    "cost_matrix": "a data set has costs",
}
"""Parameters that no setting has, and why."""

Parameters = dict[str, Any]
"""Parameters of a learner by name: numbers, texts or switches."""


class Cell(NamedTuple):
    """One run: a setting of an algorithm over one permutation of a data set.

    ``data`` is a fingerprint of what the data set held, ``setting`` canonical JSON.

    >>> Cell("digits", "1797x64", 1, "passive", '{"learning_rate": 0.4}').key("v1")
    'fe0ff37aa70f1174'
    """

    dataset: str
    data: str
    permutation: int
    algorithm: str
    setting: str

    def key(self, code: str) -> str:
        """A short name of the content, the code version included."""
        text = "|".join([*map(str, self), code])
        return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def code_of(algorithm: str) -> str:
    """The version of all the code that decides the bits of an algorithm's results.

    Of ``auto`` these are also learners, oracles and the libraries that fit its classifiers.

    >>> code_of("passive") == CODE_VERSION, code_of("auto") == CODE_VERSION
    (True, False)
    """
    return _auto_version() if algorithm == "auto" else CODE_VERSION


@functools.cache
def _auto_version() -> str:
    # Here, so that a study without it does not wait for scikit-learn.
    from askance import learners, oracles
    from askance.oracles.estimator import library_versions

    digest = hashlib.blake2b(CODE_VERSION.encode(), digest_size=8)
    for room in (learners, oracles):
        for source in sorted(Path(room.__path__[0]).glob("*.py")):
            digest.update(source.read_bytes())
    digest.update(canonical(library_versions()).encode())
    return digest.hexdigest()


class Origin(NamedTuple):
    """Where a data set comes from: the catalog, a set embedded in a library, or a user's file.

    ``file`` and ``reading`` are those of a user's file: where it is, and how it is read. Of each
    permutation, at most the first ``most`` examples are taken. With ``costs`` a mistake costs the
    more the rarer its true class is, and a mean cost stands in the place of an error.
    """

    kind: str
    name: str
    file: Path = Path()
    reading: Reading = Reading()
    most: int | None = None
    costs: bool = False

    @property
    def names(self) -> list[str]:
        """The data sets that it stands for: one, or every one of the catalog."""
        every = self.kind == "catalog" and self.name == "all"
        return list(CATALOG) if every else [self.name]


@dataclass(frozen=True, slots=True)
class GridLearner:
    """A contestant: an algorithm with every setting that is tried, and its name in reports.

    ``grid`` has the parameters of each setting, completed by what is suggested, ``settings`` the
    same as canonical JSON: a result is named by all that it depends on, so that another suggestion
    is another name.
    """

    name: str
    algorithm: str
    settings: tuple[str, ...]
    grid: tuple[Parameters, ...]


@dataclass(frozen=True, slots=True)
class Study:
    """What is to be run.

    ``base`` is the algorithm and setting that gains are measured against; ``results`` a folder of
    finished results that count as done, whatever machine they were made on.
    """

    name: str
    permutations: int
    budgets: tuple[int, ...]
    origins: tuple[Origin, ...]
    contestants: tuple[GridLearner, ...]
    base: tuple[str, str]
    text: str
    results: Path | None = None

    def settings(self) -> dict[tuple[str, str], None]:
        """Every algorithm with every setting, the base too, each once."""
        pairs = [(c.algorithm, s) for c in self.contestants for s in c.settings]
        return dict.fromkeys([self.base, *pairs])


def canonical(parameters: Parameters) -> str:
    """Parameters as JSON with sorted names: equal parameters, equal text.

    >>> canonical({"learning_rate": 0.4, "c0": 1.0})
    '{"c0": 1.0, "learning_rate": 0.4}'
    """
    return json.dumps(parameters, sort_keys=True)


def part_of(
    study: Study,
    *,
    permutations: int | None = None,
    datasets: Sequence[str] = (),
    contestants: Sequence[str] = (),
) -> Study:
    """Fewer permutations, data sets or contestants of a study; what is not given stays as it is.

    The base stays too. A cell of the part is a cell of the whole.
    """
    every = [one._replace(name=name) for one in study.origins for name in one.names]
    origins = _chosen("data sets", datasets, {one.name: one for one in every})
    learners = _chosen("contestants", contestants, {one.name: one for one in study.contestants})
    return replace(
        study,
        permutations=min(permutations or study.permutations, study.permutations),
        origins=origins or study.origins,
        contestants=learners or study.contestants,
    )


T = TypeVar("T")


def _chosen(what: str, names: Sequence[str], known: dict[str, T]) -> tuple[T, ...]:
    for name in names:
        if name not in known:
            raise InvalidParameter(f"the study's {what} are {_few(known)}, got {shown(name)}")
    return tuple(one for name, one in known.items() if name in names)


def _few(names: Iterable[str]) -> str:
    text = ", ".join(names)
    return text if len(text) <= LONGEST_LIST else f"{text[:LONGEST_LIST]}..."


def read_study(path: str | Path, text: str | None = None) -> Study:
    """Read a study's file; ``text`` in place of what the file holds, if given.

    The form and its limits are described in docs/study.md.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8") if text is None else text
        tree = tomllib.loads(text)
    except OSError as error:
        raise FileUnreadable(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise FileUnreadable(f"{path} is not TOML: {error}") from error
    except RecursionError:
        raise FileUnreadable(f"{path} is not TOML of a study: it is nested too deeply") from None
    return _study(Fields(tree, path.name), text, path)


def _study(fields: Fields, text: str, path: Path) -> Study:
    fields.only(
        ("name", "permutations", "examples", "budgets", "base", "data", "learners", "results")
    )
    study = Study(
        name=fields.name("name", path.stem),
        permutations=(
            fields.whole("permutations", 1, MOST_PERMUTATIONS) if "permutations" in fields else 9
        ),
        budgets=_budgets(fields),
        origins=_origins(fields, path.parent),
        contestants=_contestants(fields),
        base=_base(fields),
        text=text,
        results=path.parent / fields.text("results") if "results" in fields else None,
    )
    data_sets = sum(len(origin.names) for origin in study.origins)
    cells = len(study.settings()) * study.permutations * data_sets
    if cells > MOST_CELLS:
        raise fields.wrong(
            f"data sets, permutations and settings must make at most {MOST_CELLS:,} cells, "
            f"got {cells:,}"
        )
    return study


def _budgets(fields: Fields) -> tuple[int, ...]:
    if "budgets" not in fields:
        return tuple(BUDGETS)
    found = fields.table["budgets"]
    good = (
        isinstance(found, list)
        and 0 < len(found) <= MOST_BUDGETS
        and all(type(b) is int and 0 < b <= LARGEST_BUDGET for b in found)
        and all(one < two for one, two in itertools.pairwise(found))
    )
    if not good:
        wanted = f"1 to {MOST_BUDGETS} whole numbers from 1 to {LARGEST_BUDGET} that increase"
        raise fields.must("budgets", wanted, found)
    return tuple(found)


def _origins(fields: Fields, folder: Path) -> tuple[Origin, ...]:
    """Every data set, no two of one name: a name is a file of the store."""
    found: list[Origin] = []
    taken: set[str] = set()
    most = fields.whole("examples", 5, LARGEST_BUDGET) if "examples" in fields else None
    for table in fields.tables("data"):
        for origin in _listed(table, folder):
            for name in origin.names:
                # Some file systems take names for equal that differ in case only.
                if name.casefold() in taken:
                    raise table.wrong(f"the data set {shown(name)} is named twice")
                taken.add(name.casefold())
            found.append(origin._replace(most=most))
    return tuple(found)


def _listed(fields: Fields, folder: Path) -> Iterator[Origin]:
    if "file" in fields:
        yield _file(fields, folder)
        return
    fields.only(("catalog", "embedded", "file"))
    if not fields.table:
        raise fields.wrong("expected one of catalog, embedded or file, got none")
    for kind, known, wanted in (
        ("catalog", ("all", *CATALOG), "all or what askance data list names"),
        ("embedded", EMBEDDED, f"one of {', '.join(EMBEDDED)}"),
    ):
        for name in fields.texts(kind) if kind in fields else ():
            if name not in known:
                raise fields.must(kind, wanted, name)
            yield Origin(kind, name)


def _file(fields: Fields, folder: Path) -> Origin:
    """A user's file, with the options of :class:`askance.data.reading.intake.Reading`."""
    own = ("file", "name", "costs")
    fields.only((*own, *Reading.__dataclass_fields__))
    file, costs = fields.text("file"), fields.table.get("costs", False)
    if not isinstance(costs, bool):
        raise fields.must("costs", "true or false", costs)
    options = {key: value for key, value in fields.table.items() if key not in own}
    try:
        reading = Reading.from_options(options)
    except InvalidParameter as error:
        raise fields.wrong(str(error)) from error
    name = fields.name("name", Path(file).stem)
    return Origin("file", name, folder / file, reading, costs=costs)


def _base(fields: Fields) -> tuple[str, str]:
    if "base" not in fields:
        return "passive", canonical({"learning_rate": 0.4})
    table = fields.table_of("base")
    algorithm = _algorithm(table)
    given = {key: _value(table, key, value) for key, value in _axes(table).items()}
    point = suggested(algorithm, given)
    _check(table, algorithm, point)
    return algorithm, canonical(point)


def _contestants(fields: Fields) -> tuple[GridLearner, ...]:
    found: dict[str, GridLearner] = {}
    for table in fields.tables("learners"):
        one = _grid_learner(table)
        if one.name in found:
            raise table.wrong(
                f"the name {shown(one.name)} is used twice; each contestant needs its own name"
            )
        found[one.name] = one
    return tuple(found.values())


def _grid_learner(fields: Fields) -> GridLearner:
    algorithm = _algorithm(fields)
    axes = {key: _values(fields, key, axis) for key, axis in _axes(fields).items()}
    count = math.prod(map(len, axes.values()))
    if count > MOST_SETTINGS:
        raise fields.wrong(f"a grid must have at most {MOST_SETTINGS:,} settings, got {count:,}")
    grid = tuple(
        suggested(algorithm, dict(zip(axes, point, strict=True)))
        for point in itertools.product(*axes.values())
    )
    _check(fields, algorithm, grid[0])
    name = fields.name("name", algorithm)
    return GridLearner(name, algorithm, tuple(map(canonical, grid)), grid)


def _algorithm(fields: Fields) -> str:
    found = fields.table.get("algorithm")
    known = ("auto", "coal", *ALGORITHMS)
    if not (isinstance(found, str) and found in known):
        raise fields.must("algorithm", f"one of {', '.join(known)}", found)
    return found


def _axes(fields: Fields) -> Parameters:
    axes = {key: v for key, v in fields.table.items() if key not in ("name", "algorithm")}
    for name, reason in _GIVEN.items():
        if name in axes:
            raise fields.wrong(f"{name} cannot be set: {reason}")
    return axes


def _check(fields: Fields, algorithm: str, point: Parameters) -> None:
    try:
        checked(algorithm, point)
    except (AskanceError, ValueError, TypeError, OverflowError) as error:
        raise fields.wrong(str(error)) from error


def _values(fields: Fields, key: str, axis: Any) -> list[Any]:
    """The values of one axis: a value, a list of them, or powers of two times a scale.

    >>> table = Fields({"c0": [{"scale": 0.1, "powers": [-1, 1]}, 3.0]}, "my.toml")
    >>> _values(table, "c0", table.table["c0"])
    [0.05, 0.1, 0.2, 3.0]
    """
    # A list of texts is one value where values are lists.
    alone = not isinstance(axis, list) or (key in _LISTS and all(isinstance(t, str) for t in axis))
    parts = [axis] if alone else axis
    if not parts or axis == []:
        raise fields.must(key, "one or more values", axis)
    values: list[Any] = []
    for part in parts:
        values += _powers(fields, key, part) if isinstance(part, dict) else [part]
    return [_value(fields, key, value) for value in values]


def _value(fields: Fields, key: str, value: Any) -> Any:
    if key in _SWITCHES:
        wanted, good = "true or false", isinstance(value, bool)
    elif key in _LISTS:
        # A tuple, for reports sort and count the values of an axis.
        return tuple(Fields({key: value}, fields.place).texts(key))
    else:
        wanted = "text or a finite number"
        good = isinstance(value, str) or is_number(value)
    if not good:
        raise fields.must(key, wanted, value)
    return value


def _powers(fields: Fields, key: str, part: Parameters) -> list[float]:
    table = Fields(part, f"{fields.place}: {key}")
    table.only(("scale", "powers"))
    scale = table.number("scale") if "scale" in table else 1.0
    found = part.get("powers")
    good = (
        isinstance(found, list)
        and [type(power) for power in found] == [int, int]
        and -LARGEST_POWER <= found[0] <= found[1] <= LARGEST_POWER
    )
    if not good:
        wanted = f"two whole numbers from -{LARGEST_POWER} to {LARGEST_POWER}, the smaller first"
        raise table.must("powers", wanted, found)
    first, last = part["powers"]
    return [scale * 2.0**power for power in range(first, last + 1)]
