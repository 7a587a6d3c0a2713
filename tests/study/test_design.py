from pathlib import Path

import pytest

from askance.errors import FileUnreadable, InvalidParameter
from askance.study.design import Cell, Origin, canonical, read_study

STUDIES = Path(__file__).parents[2] / "studies"
LEAST = '[[data]]\nembedded = "digits"\n[[learners]]\nalgorithm = "passive"\n'


def test_the_papers_grid_has_2123_settings():
    study = read_study(STUDIES / "nips2015.toml")
    counts = {c.name: len(c.settings) for c in study.contestants}
    assert counts.pop("margin") == 132
    assert sum(counts.values()) == 2123
    assert counts["online_active_cover"] == 1100
    assert len(study.settings()) == 2123 + 132
    assert study.base in list(study.settings())[1:] or study.base == next(iter(study.settings()))
    assert study.budgets == tuple(10 * 2**q for q in range(11))


def test_the_papers_ranges_end_where_it_says():
    study = read_study(STUDIES / "nips2015.toml")
    settings = {c.name: set(c.settings) for c in study.contestants}
    for rate in (0.1 * 2**-2, 0.1 * 2**8):
        for name, values in {
            "iwal0": (0.1 * 2**-17, 0.1, 1.0, 16.0),
            "oracular_iwal1": (2**-17, 32.0),
        }.items():
            for c0 in values:
                assert canonical({"c0": float(c0), "learning_rate": rate}) in settings[name]


@pytest.mark.parametrize("path", sorted(STUDIES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_study_of_the_project_can_be_read(path):
    study = read_study(path)
    assert study.name == path.stem
    assert study.contestants


def test_equal_parameters_are_one_setting_and_the_base_comes_first():
    text = (
        LEAST + 'learning_rate = [0.8, 0.4]\n[base]\nlearning_rate = 0.4\nalgorithm = "passive"\n'
    )
    pairs = list(read_study("study.toml", text).settings())
    assert pairs == [("passive", '{"learning_rate": 0.4}'), ("passive", '{"learning_rate": 0.8}')]


def test_a_key_changes_with_each_part_of_the_content():
    cell = Cell("a", "1", 1, "passive", "{}")
    others = [cell._replace(**{name: value}) for name, value in
              (("dataset", "b"), ("data", "2"), ("permutation", 2), ("algorithm", "iwal0"),
               ("setting", '{"c0": 1.0}'))]  # fmt: skip
    keys = {cell.key("v1"), cell.key("v2"), *(other.key("v1") for other in others)}
    assert len(keys) == 7


def test_a_file_is_found_beside_its_study(tmp_path):
    text = LEAST.replace('embedded = "digits"', 'file = "mine.csv"\nlabel = "y"')
    (origin,) = read_study(tmp_path / "study.toml", text).origins
    assert origin.name == "mine"
    assert str(tmp_path / "mine.csv") in origin.options


def test_origins_are_listed():
    text = LEAST.replace('embedded = "digits"', 'catalog = ["adult", "bank"]')
    origins = read_study("study.toml", text).origins
    assert origins == (Origin("catalog", "adult"), Origin("catalog", "bank"))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("permutations = 0\n" + LEAST, "permutations"),
        ("budgets = [20, 10]\n" + LEAST, "budgets"),
        ("budgets = []\n" + LEAST, "budgets"),
        ("surprise = 1\n" + LEAST, "surprise"),
        ("", "[[data]]"),
        (LEAST.replace("passive", "magic"), "magic"),
        (LEAST + "c0 = 1.0\n", "c0"),
        (LEAST + "[base]\nlearning_rate = 0.4\n", "base"),
        (LEAST + "learning_rate = { power = [1, 2] }\n", "power"),
    ],
)
def test_bad_studies_are_refused(text, part, refused):
    with refused(InvalidParameter, part):
        read_study("study.toml", text)


def test_what_is_no_study_is_refused(tmp_path, refused):
    with refused(FileUnreadable, "cannot be read"):
        read_study(tmp_path / "none.toml")
    with refused(FileUnreadable, "not TOML"):
        read_study("study.toml", "= 1")
