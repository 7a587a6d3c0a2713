"""A study's TOML file -> frozen records -> cells, each named by its content."""

import hashlib
import itertools
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from askance.data.reading.intake import Reading
from askance.errors import FileUnreadable, InvalidParameter
from askance.presets import ALGORITHMS, make_learner
from askance.simulate import BUDGETS

__all__ = ["Cell", "Contestant", "Origin", "Study", "canonical", "read_study"]


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


class Origin(NamedTuple):
    """Where a data set comes from: the catalog, a set embedded in a library, or a user's file."""

    kind: str
    name: str
    options: str = "{}"


@dataclass(frozen=True, slots=True)
class Contestant:
    """An algorithm with every setting that is tried, under the name that reports give it."""

    name: str
    algorithm: str
    settings: tuple[str, ...]


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
    contestants: tuple[Contestant, ...]
    base: tuple[str, str]
    text: str
    results: Path | None = None

    def settings(self) -> dict[tuple[str, str], None]:
        """Every algorithm with every setting, the base too, each once."""
        pairs = [(c.algorithm, s) for c in self.contestants for s in c.settings]
        return dict.fromkeys([self.base, *pairs])


def canonical(parameters: dict[str, Any]) -> str:
    """Parameters as JSON with sorted names: equal parameters, equal text.

    >>> canonical({"learning_rate": 0.4, "c0": 1.0})
    '{"c0": 1.0, "learning_rate": 0.4}'
    """
    return json.dumps(parameters, sort_keys=True)


def read_study(path: str | Path, text: str | None = None) -> Study:
    """Read a study's file; ``text`` in place of what the file holds, if given.

    The form is described in docs/study.md.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8") if text is None else text
        tree = tomllib.loads(text)
    except OSError as error:
        raise FileUnreadable(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileUnreadable(f"{path} is not TOML: {error}") from error
    return _study(tree, text, path)


def _study(tree: dict[str, Any], text: str, path: Path) -> Study:
    known = {"name", "permutations", "budgets", "base", "data", "learners", "results"}
    _check_names(tree, known, "a study")
    name = str(tree.get("name", path.stem))
    permutations = tree.get("permutations", 9)
    if not (isinstance(permutations, int) and permutations > 0):
        raise InvalidParameter(f"permutations must be a positive number, got {permutations!r}")
    base = dict(tree.get("base", {"algorithm": "passive", "learning_rate": 0.4}))
    if not isinstance(base.get("algorithm"), str):
        raise InvalidParameter(f"base must name its algorithm, got {base}")
    results = tree.get("results")
    return Study(
        name=name,
        permutations=permutations,
        budgets=_budgets(tree.get("budgets", list(BUDGETS))),
        origins=tuple(o for part in _tables(tree, "data") for o in _origins(part, path.parent)),
        contestants=tuple(_contestant(part) for part in _tables(tree, "learners")),
        base=(base.pop("algorithm"), canonical(base)),
        text=text,
        results=None if results is None else path.parent / results,
    )


def _check_names(tree: dict[str, Any], known: set[str], what: str) -> None:
    for name in tree:
        if name not in known:
            raise InvalidParameter(
                f"{what} has {', '.join(sorted(known))}, the file also says {name!r}"
            )


def _tables(tree: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = tree.get(name)
    if not (isinstance(found, list) and found and all(isinstance(part, dict) for part in found)):
        raise InvalidParameter(f"a study needs one or more tables [[{name}]]")
    return found


def _budgets(found: Any) -> tuple[int, ...]:
    whole = isinstance(found, list) and all(isinstance(b, int) for b in found)
    if not (whole and found and found[0] > 0 and sorted(set(found)) == found):
        raise InvalidParameter(f"budgets must be whole, positive and increase, got {found!r}")
    return tuple(found)


def _origins(table: dict[str, Any], folder: Path) -> Iterator[Origin]:
    if "file" in table:
        _check_names(table, {"file", "name", *Reading.__dataclass_fields__}, "[[data]]")
        options = {k: v for k, v in table.items() if k != "name"}
        options["file"] = str(folder / table["file"])
        yield Origin("file", table.get("name", Path(table["file"]).stem), canonical(options))
        return
    _check_names(table, {"catalog", "embedded"}, "[[data]]")
    for kind, names in table.items():
        for name in [names] if isinstance(names, str) else names:
            yield Origin(kind, str(name))


def _contestant(table: dict[str, Any]) -> Contestant:
    axes = dict(table)
    algorithm = axes.pop("algorithm", None)
    if algorithm not in ALGORITHMS:
        raise InvalidParameter(
            f"algorithm must be one of {', '.join(ALGORITHMS)}, got {algorithm!r}"
        )
    name = str(axes.pop("name", algorithm))
    values = [list(_values(axis)) for axis in axes.values()]
    grid = [dict(zip(axes, point, strict=True)) for point in itertools.product(*values)]
    make_learner(algorithm, n_features=0, **grid[0])
    return Contestant(name, algorithm, tuple(map(canonical, grid)))


def _values(axis: Any) -> Iterator[Any]:
    """The values of one axis: a value, a list of them, or powers of two times a scale.

    >>> list(_values([{"scale": 0.1, "powers": [-1, 1]}, 3.0]))
    [0.05, 0.1, 0.2, 3.0]
    """
    if isinstance(axis, list):
        for part in axis:
            yield from _values(part)
    elif isinstance(axis, dict):
        _check_names(axis, {"scale", "powers"}, "a range")
        first, last = axis["powers"]
        yield from (axis.get("scale", 1.0) * 2.0**power for power in range(first, last + 1))
    else:
        yield axis
