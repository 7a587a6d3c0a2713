"""The reference is whole: every command, option, public name and parameter is documented."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import command_reference
import pytest

import askance

ROOT = Path(__file__).parent.parent
API = (ROOT / "docs/api.md").read_text()
COMMANDS = list(command_reference.commands())
OPTIONS = [(n, p) for n, c in COMMANDS for p in command_reference.shown_parameters(c)]

# ----------------------------------------------------------------------------------- commands


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])
def test_every_command_is_explained_with_an_example(name, command):
    assert command.help.splitlines()[0].endswith(".")
    assert f"Example: `{name}" in command.help.replace("\n", " ")


@pytest.mark.parametrize(("name", "option"), OPTIONS, ids=[f"{n} {p.name}" for n, p in OPTIONS])
def test_every_option_is_explained(name, option):
    assert option.help
    assert option.help.strip()[-1] in ".`)", option.help


def test_the_reference_has_every_command_and_option():
    assert "```{askance-commands}" in (ROOT / "docs/commands.md").read_text()
    sections = re.split(r"^## ", command_reference.markdown(), flags=re.MULTILINE)[1:]
    page = {section.splitlines()[0]: section for section in sections}
    assert list(page) == [name for name, _ in COMMANDS]
    for name, command in COMMANDS:
        for option in command_reference.shown_parameters(command):
            shown = option.opts[0] if option.opts[0].startswith("-") else option.name.upper()
            assert f"`{shown}`" in page[name]
            assert " ".join(option.help.split()).replace("|", "\\|") in page[name]


def test_first_steps_lead_to_every_command():
    text = (ROOT / "docs/first-steps.md").read_text()
    for name, command in COMMANDS:
        if " " in name and not hasattr(command, "commands"):
            group = " ".join(name.split()[:2])
            assert group in text, name


# ----------------------------------------------------------------------------------- public names

# Not for users: arithmetic, storage and the insides of commands. Their docstrings are for readers
# of the source.
INTERNAL = re.compile(
    r"askance\.(__main__|validation)$"
    r"|askance\.(cli|engine|storage|study|theory|plots|rehearsal|evaluation|labelling|terminal"
    r"|service|client\.\w+)(\.|$)"
    r"|askance\.live(\.(answers|asking|coins|foretelling|judging|places|predicting|questions|rounds"
    r"|saving|signs|telling))?$"
    r"|askance\.exports(\.predictions)?$"
    r"|askance\.scale(\.(book|deciding|draws))?$"
    r"|askance\.kernels\.(?!formulas|cover)"
    r"|askance\.data\.(?!reading\.readers|features\.(feature_map|indexers|naming)|catalog\.loading|splits)"
    r"|askance\.learners\.(?!active_cover|batch_iwal|constants|coordinate_ascent|disagreement"
    r"|epoch_records|epochs|iwal|margin|online_active_cover|passive|streaming)"
    r"|askance\.(simulate|simulate\.loop|adapters\.settings|checks\.\w+)$"
    r"|askance\.(estimate|kernels|oracles|learners|data|adapters|data\.features|data\.catalog)$"
)
MODULES = ["askance", *(m.name for m in pkgutil.walk_packages(askance.__path__, "askance."))]
PUBLIC = [name for name in MODULES if not INTERNAL.match(name)]
# Parts that only their own package needs, in modules that have something for users too.
PARTS = {
    "askance.live.budget": {"Ledger"},
    "askance.scale.asking": {"opened_model"},
    "askance.scale.workers": {"Each"},
    "askance.learners.disagreement": {"check_disagreement"},
    "askance.learners.epoch_records": {"EpochTally", "states"},
    "askance.learners.epochs": {"Block"},
    "askance.learners.streaming": {"sample_entry"},
    "askance.oracles.members": {"KnownLabels", "Member", "given_to_truth"},
    "askance.oracles.scorers": {
        "LinearScorer",
        "Scorer",
        "TopicScorer",
        "TreeScorer",
        "linear_scorer",
        "of_length_1",
        "parts_of",
    },
    "askance.oracles.trees": {"boosted_trees", "random_trees"},
    "askance.sparse": {
        "column",
        "dense",
        "empty",
        "from_dense",
        "from_rows",
        "resized",
        "row_at",
        "stacked",
    },
    "askance.live.active_learner": {"CLASSES"},
    "askance.exports.classifier": {"names_by_column"},
    "askance.simulate.contestants": {"done_of", "labels_left", "place_of"},
    "askance.simulate.measuring": {"check_budgets", "check_test", "error_of_blocks"},
}


def documented(module):
    """Names of a module that the API page shows: all of them, or those it lists."""
    shown = re.search(rf"automodule:: {re.escape(module)}\n((?:   :.*\n)*)", API, re.MULTILINE)
    assert shown, f"{module} is not in docs/api.md"
    listed = re.search(r":members:(.*)", shown[1])
    every = importlib.import_module(module).__all__
    if listed and not listed[1].strip():
        return set(every)
    named = set(listed[1].replace(" ", "").split(",")) if listed else set()
    return named | set(re.findall(rf"(?:auto|py:)\w+:: {re.escape(module)}\.(\w+)", API))


@pytest.mark.parametrize("module", [name for name in PUBLIC if name != "askance"])
def test_every_public_name_is_on_the_page(module):
    owned = {
        name
        for name in importlib.import_module(module).__all__
        if getattr(getattr(importlib.import_module(module), name), "__module__", module) == module
    }
    assert owned - PARTS.get(module, set()) - documented(module) == set()


def test_what_askance_itself_exports_is_on_the_page():
    for name in askance.__all__:
        thing = getattr(askance, name)
        assert name == "__version__" or f"`{name}`" in API, name
        home = getattr(thing, "__module__", "askance.presets")
        assert name == "__version__" or name in documented(home), name


# ----------------------------------------------------------------------------------- parameters

# What every method means by these is said once, on the API page.
CONVENTIONAL = {"x", "X", "path", "state"}
WITH_PARAMETERS = re.compile(
    r"askance\.(live|budget|presets|simulate|exports|data\.rows|types|checks|adapters\.\w+)$"
    r"|askance\.oracles\.\w+$"
    r"|askance\.learners\.(active_cover|batch_iwal|constants|iwal|margin|online_active_cover|passive)$"
)


def callables():
    """Public classes and functions, and the methods of what people call."""
    for module in filter(WITH_PARAMETERS.match, PUBLIC):
        things = vars(importlib.import_module(module))
        for name in sorted(set(things["__all__"]) - PARTS.get(module, set())):
            thing = things[name]
            if getattr(thing, "__module__", None) != module or not callable(thing):
                continue
            yield f"{module}.{name}", thing
            # The methods of learners and oracles are those of askance.protocols.
            facade = inspect.isclass(thing) and re.match(r"askance\.(live|adapters)", module)
            for inner, method in vars(thing).items() if facade else ():
                found = getattr(method, "__func__", method)
                if not inner.startswith("_") and inspect.isfunction(found):
                    yield f"{module}.{name}.{inner}", found


def described(thing):
    """Names in a numpydoc section of parameters, and those mentioned as ``name``."""
    found = set()
    for one in thing.__mro__[:-1] if inspect.isclass(thing) else [thing]:
        text = inspect.cleandoc(one.__doc__ or "")
        found |= set(re.findall(r"``(\w+)", text))
        section = re.search(r"^Parameters\n-+\n((?:.*\n?)*?)(?=^.+\n---|\Z)", text, re.MULTILINE)
        for line in section[1].splitlines() if section else ():
            if line and not line[0].isspace():
                found |= {name.strip().lstrip("*") for name in line.split(":")[0].split(",")}
    return found


EVERY = list(callables())


@pytest.mark.parametrize(("name", "thing"), EVERY, ids=[name for name, _ in EVERY])
def test_every_parameter_is_described(name, thing):
    taken = set(inspect.signature(thing).parameters) - {"self", "cls"} - CONVENTIONAL
    assert taken - described(thing) == set()


def test_the_conventions_are_on_the_page_and_the_test_sees_a_hole():
    assert all(f"`{name}`" in API for name in CONVENTIONAL)
    assert len(EVERY) > 45

    def example(a, c, **b):
        """One.

        Parameters
        ----------
        a, **b
            Words.

        Examples
        --------
        None, but ``c`` is a name.
        """

    assert described(example) == {"a", "b", "c"}
