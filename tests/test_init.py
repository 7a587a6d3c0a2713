"""The public names: all there, loaded when used."""

import pickle
import subprocess
import sys

import pytest

import askance
from askance import Budget, Row, as_row
from askance.presets import make_learner


def loaded_after(code):
    """Which of the slow modules a process has loaded."""
    slow = {"numba", "numpy", "sklearn", "matplotlib", "pyarrow", "pandas"}
    code = f"import sys\n{code}\nprint(*sorted({slow!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_the_import_loads_nothing_slow():
    assert loaded_after("import askance; dir(askance)") == []
    assert loaded_after("from askance import AskanceError, Row, as_row; as_row([1.0])") == ["numpy"]


def test_using_a_name_loads_what_it_needs():
    assert "numba" in loaded_after("import askance; askance.make_learner")


def test_every_public_name_is_there_and_listed():
    for name in askance.__all__:
        assert getattr(askance, name) is getattr(askance, name)
        assert name in dir(askance)
    assert askance.make_learner is make_learner
    with pytest.raises(AttributeError, match="no attribute 'make_learners'"):
        askance.make_learners  # noqa: B018


def test_a_star_brings_all_of_them():
    names = {}
    exec("from askance import *", names)
    assert set(askance.__all__) <= names.keys()


def test_what_has_a_public_name_can_be_pickled():
    assert pickle.loads(pickle.dumps(Budget(total=3))) == Budget(total=3)
    row = pickle.loads(pickle.dumps(as_row([0.0, 2.0])))
    assert isinstance(row, Row)
    assert row.indices.tolist() == [1]
    assert pickle.loads(pickle.dumps(askance.ActiveLearner)) is askance.ActiveLearner
