"""The shape of the package: mirrored tests, honest exports, documented names, no prints."""

import ast
import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import askance

PACKAGE = Path(askance.__file__).parent
TESTS = Path(__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
WITHOUT_BEHAVIOUR = {"__init__", "__main__", "types", "errors", "protocols", "pass_records"}
FORBIDDEN_NAMES = {"utils", "helpers", "common", "misc", "base"}


def module_of(source: Path) -> ModuleType:
    parts = source.relative_to(PACKAGE.parent).with_suffix("").parts
    return importlib.import_module(".".join(parts).removesuffix(".__init__"))


MODULES = [module_of(source) for source in SOURCES]
modules = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
sources = pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)


@sources
def test_every_module_has_its_tests(source: Path) -> None:
    if source.stem in WITHOUT_BEHAVIOUR:
        return
    inside = source.relative_to(PACKAGE)
    mirror = TESTS / inside.with_name(f"test_{inside.stem.lstrip('_')}.py")
    assert mirror.exists(), f"{inside} needs {mirror.relative_to(TESTS.parent)}"


@sources
def test_names_of_modules_say_something(source: Path) -> None:
    assert source.stem not in FORBIDDEN_NAMES


SHARED_NAMES = {
    "Block": "points that a learner in epochs decides together; a part of a study's report",
    "Fields": "what a record of data holds; a table of a study's file, with checks",
    "Progress": "arrays of a compiled pass; what a download calls with the bytes so far",
    "Session": "a person's labelling of one file; all streams of a service, without HTTP",
    "learn": "the kernels' verb: of one oracle, of a pass, of a step; always written kernel.learn",
    "offer": "a step of a learner of two classes or of several; always written steps.offer",
    "predict": "a step of a learner of two classes or of several; always written steps.predict",
    "run": "a compiled pass, always written passes.run; a study, always written execute.run",
    "shown": "a value in any message; in a study's, where it is written as TOML has it",
    "single": "to single precision, in two readers of the data room: of values, of a matrix",
}
"""Names that two modules define, and why neither is in the other's way."""


def defined_and_exported(tree: ast.Module) -> set[str]:
    """Names that a module defines by itself and lists in ``__all__``: aliases and functions too."""
    found: set[str] = set()
    exported: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            found.update(names)
            if "__all__" in names and node.value is not None:
                exported = ast.literal_eval(node.value)
    return found & set(exported)


def test_no_two_public_things_share_a_name() -> None:
    """One name, one thing; what starts with an underscore is a module's own."""
    places: dict[str, set[str]] = {}
    for source in SOURCES:
        tree = ast.parse(source.read_text())
        classes = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        public = {name for name in classes if not name.startswith("_")}
        # A command or a route is a function with a name of its own.
        if not {"cli", "api", "page"} & set(source.relative_to(PACKAGE).parts):
            public |= defined_and_exported(tree)
        for name in public:
            places.setdefault(name, set()).add(str(source.relative_to(PACKAGE)))
    twice = {name: found for name, found in places.items() if len(found) > 1}
    assert {name: found for name, found in twice.items() if name not in SHARED_NAMES} == {}
    assert SHARED_NAMES.keys() <= twice.keys(), "a name that is no longer shared needs no reason"


def test_the_root_holds_few_modules() -> None:
    assert len([source for source in SOURCES if source.parent == PACKAGE]) <= 10


@sources
def test_nothing_is_printed(source: Path) -> None:
    if "cli" in source.parts:
        return
    calls = [
        node.func.id
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]
    assert "print" not in calls


@modules
def test_exports_are_honest(module: ModuleType) -> None:
    """Every exported name exists, once; every public definition is exported."""
    # Commands and routes are found by their decorators.
    if module.__name__.startswith(("askance.cli", "askance.service.api", "askance.service.page")):
        return
    exported = getattr(module, "__all__", [])
    assert len(set(exported)) == len(exported)
    assert [name for name in exported if not hasattr(module, name)] == []
    defined = {
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(thing) or callable(thing))
        and getattr(thing, "__module__", None) == module.__name__
        and (inspect.isclass(thing) or inspect.isroutine(inspect.unwrap(thing)))
    }
    assert defined - set(exported) == set()


@modules
def test_everything_public_is_documented(module: ModuleType) -> None:
    assert module.__doc__, module.__name__
    for name in getattr(module, "__all__", []):
        thing = getattr(module, name)
        if inspect.isclass(thing) or inspect.isroutine(inspect.unwrap(thing)):
            assert thing.__doc__, name
            assert not thing.__doc__.startswith(f"{name}("), f"{name} has a made-up docstring"


def test_the_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").exists()


def test_errors_are_one_tree() -> None:
    errors = importlib.import_module("askance.errors")
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), errors.AskanceError)
        assert name in errors.__doc__
    assert str(errors.UnknownQuestion("no question has the id 3")) == "no question has the id 3"
