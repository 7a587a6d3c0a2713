import hashlib
from pathlib import Path

import pytest

from askance.data.reading.intake import Reading
from askance.errors import FileUnreadable, InvalidParameter
from askance.kernels._jit import CODE_VERSION
from askance.presets import SUGGESTED
from askance.study import design
from askance.study.design import Cell, Origin, canonical, code_of, part_of, read_study
from askance.study.store import cells_of, read_results

STUDIES = Path(__file__).parents[2] / "studies"
LEAST = '[[data]]\nembedded = "digits"\n[[learners]]\nalgorithm = "passive"\n'


def test_the_papers_grid_has_2123_settings():
    study = read_study(STUDIES / "nips2015.toml")
    counts = {c.name: len(c.settings) for c in study.contestants}
    assert counts.pop("margin") == 132
    assert sum(counts.values()) == 2123
    assert counts["online_active_cover"] == 1100
    assert len(study.settings()) == 2123 + 132
    # The base is a setting of passive's grid, so it is not run twice.
    assert study.base == ("passive", '{"learning_rate": 0.4}')
    assert study.base[1] in next(c for c in study.contestants if c.name == "passive").settings
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
    assert origin.file == tmp_path / "mine.csv"
    assert origin.reading == Reading(label="y")


@pytest.mark.parametrize(
    ("written", "positive"), [("1", "1"), ("1.0", "1"), ("true", "true"), ("'yes'", "yes")]
)
def test_a_positive_label_needs_no_quotes(written, positive):
    (origin,) = read_study("mine.toml", FILE + f"positive = {written}\n" + LEARNER).origins
    assert origin.reading.positive == positive


def test_origins_are_listed():
    text = LEAST.replace('embedded = "digits"', 'catalog = ["adult", "bank"]')
    origins = read_study("study.toml", text).origins
    assert origins == (Origin("catalog", "adult"), Origin("catalog", "bank"))


DATA = '[[data]]\nembedded = "digits"\n'
LEARNER = '[[learners]]\nalgorithm = "passive"\n'
AUTO = LEAST.replace("passive", "auto")
FILE = '[[data]]\nfile = "mine.csv"\n'

BAD = [
    ("permutations = 0\n" + LEAST, "permutations must be a whole number from 1 to 1000, got 0"),
    ("permutations = -3\n" + LEAST, "permutations must be", "got -3"),
    ("permutations = 1000000000\n" + LEAST, "permutations must be", "to 1000, got 1000000000"),
    ("permutations = true\n" + LEAST, "permutations must be", "got true"),
    ("permutations = 2.0\n" + LEAST, "permutations must be", "got 2.0"),
    ("permutations = '9'\n" + LEAST, "permutations must be", "got '9'"),
    (f"permutations = 0x{'f' * 5000}\n" + LEAST, "permutations must be", "of thousands of digits"),
    ("budgets = [20, 10]\n" + LEAST, "budgets must be", "increase"),
    ("budgets = [10, 10]\n" + LEAST, "budgets must be"),
    ("budgets = []\n" + LEAST, "budgets must be", "got []"),
    ("budgets = 10\n" + LEAST, "budgets must be"),
    ("budgets = [true, 2]\n" + LEAST, "budgets must be"),
    ("budgets = [10.0, 20.0]\n" + LEAST, "budgets must be"),
    ("budgets = ['10']\n" + LEAST, "budgets must be"),
    ("budgets = [[10], [20]]\n" + LEAST, "budgets must be"),
    (f"budgets = [0x{'f' * 5000}]\n" + LEAST, "budgets must be"),
    ("budgets = [10, 2147483648]\n" + LEAST, "budgets must be", "2147483647"),
    (f"budgets = {list(range(1, 102))}\n" + LEAST, "budgets must be 1 to 100"),
    ("examples = 4\n" + LEAST, "examples must be a whole number from 5 to", "got 4"),
    ("examples = 1e4\n" + LEAST, "examples must be", "got 10000.0"),
    (AUTO + "budget = 30\n", "budget cannot be set: it comes from the study's budgets"),
    (AUTO + "horizon = 30\n", "horizon cannot be set: it comes from the data"),
    (AUTO + "seed = 1\n", "seed cannot be set: it comes from the permutation"),
    (AUTO + "estimator = 'forest'\n", "estimator cannot be set"),
    (AUTO + "learning_rate = 0.4\n", "auto has no parameter 'learning_rate'"),
    (AUTO + "uniform_share = 2.0\n", "uniform_share must be at most 1, got 2.0"),
    (AUTO + "fit_clip = 0.5\n", "fit_clip must be at least 1 and finite, got 0.5"),
    (AUTO + "members = []\n", "members must be one or more values, got []"),
    (AUTO + "members = [[]]\n", "members must be text or a list of texts, got []"),
    (AUTO + "members = [['forest'], 3]\n", "members must be text or a list of texts, got 3"),
    (AUTO + "members = ['oak']\n", "members must be some of logistic regression", "got ('oak',)"),
    ("surprise = 1\n" + LEAST, "'surprise' is not a key here"),
    ("'\\u001b[31m' = 1\n".replace("'", '"') + LEAST, "'\\x1b[31m' is not a key"),
    ("name = 7\n" + LEAST, "name must be", "got 7"),
    ("name = ''\n" + LEAST, "name must be", "got ''"),
    ("name = '../../x'\n" + LEAST, "name must be", "got '../../x'"),
    ("name = '.hidden'\n" + LEAST, "name must be"),
    ("name = 2026-01-01\n" + LEAST, "name must be", "datetime.date"),
    (f"name = '{'n' * 201}'\n" + LEAST, "name must be", "1 to 200 bytes"),
    ('name = "a\\u001b[2J"\n' + LEAST, "name must be", "got 'a\\x1b[2J'"),
    ("results = 3\n" + LEAST, "results must be text, got 3"),
    ("base = 3\n" + LEAST, "base must be a table, got 3"),
    (LEAST + "[base]\nlearning_rate = 0.4\n", "[base]: algorithm must be one of"),
    (LEAST + "[base]\nalgorithm = 'passive'\nlearning_rate = [0.4]\n", "[base]: learning_rate"),
    (LEAST + "[base]\nalgorithm = 'passive'\nlearning_rate = -1\n", "[base]: learning_rate"),
    ("", "a study needs one or more tables [[data]]"),
    ("data = []\n" + LEARNER, "[[data]]"),
    ("data = ['digits']\n" + LEARNER, "[[data]]"),
    ("[data]\nembedded = 'digits'\n" + LEARNER, "[[data]]"),
    (DATA, "[[learners]]"),
    ("[[data]]\n" + LEARNER, "[[data]] 1: expected one of catalog, embedded or file"),
    ("[[data]]\nembedded = []\n" + LEARNER, "[[data]] 1: embedded must be text or a list of"),
    ("[[data]]\nembedded = 3\n" + LEARNER, "[[data]] 1: embedded must be text", "got 3"),
    ("[[data]]\nembedded = 'iris'\n" + LEARNER, "embedded must be one of breast_cancer, digits"),
    (DATA + "[[data]]\ncatalog = ['iris']\n" + LEARNER, "[[data]] 2: catalog must be all or"),
    ("[[data]]\ncatalog = [1]\n" + LEARNER, "[[data]] 1: catalog must be text"),
    ("[[data]]\nurl = 'x'\n" + LEARNER, "[[data]] 1: 'url' is not a key here"),
    (DATA + DATA + LEARNER, "[[data]] 2: the data set 'digits' is named twice"),
    (DATA + FILE + "name = 'Digits'\n" + LEARNER, "[[data]] 2: the data set 'Digits' is named"),
    ("[[data]]\ncatalog = ['all', 'adult']\n" + LEARNER, "'adult' is named twice"),
    (FILE + "name = '../../../x'\n" + LEARNER, "[[data]] 1: name must be", "'../../../x'"),
    (FILE + "name = 'a\\b'\n" + LEARNER, "[[data]] 1: name must be"),
    (FILE + "name = 'part-1'\n" + LEARNER, "[[data]] 1: name must be", "'part-'"),
    (FILE + "name = 7\n" + LEARNER, "[[data]] 1: name must be", "got 7"),
    (FILE.replace("mine", "part-0000001") + LEARNER, "[[data]] 1: name must be"),
    (FILE + "label = 3\n" + LEARNER, "[[data]] 1: label must be text, got 3"),
    (FILE + "positive = nan\n" + LEARNER, "[[data]] 1: positive must be a label, got nan"),
    (FILE + "positive = ' '\n" + LEARNER, "[[data]] 1: positive must be a label, got ' '"),
    (FILE + "positive = [1]\n" + LEARNER, "[[data]] 1: positive must be a label, got [1]"),
    (FILE + f"positive = 0x{'f' * 5000}\n" + LEARNER, "positive must be", "thousands of digits"),
    (FILE + "text = 3\n" + LEARNER, "[[data]] 1: text must be a list of column names, got 3"),
    (FILE + "format = false\n" + LEARNER, "[[data]] 1: format must be text, got False"),
    (FILE + "ngrams = 10\n" + LEARNER, "[[data]] 1: ngrams must be", "from 1 to 9, got 10"),
    (FILE + "bits = true\n" + LEARNER, "[[data]] 1: bits must be", "from 1 to 30, got True"),
    (FILE + "colour = 'red'\n" + LEARNER, "[[data]] 1: 'colour' is not a key here"),
    (FILE.replace('"mine.csv"', "[1]") + LEARNER, "[[data]] 1: file must be text, got [1]"),
    (FILE + "[data.label]\ncolumn = 'y'\n" + LEARNER, "[[data]] 1: label must be text, got {"),
    (LEAST.replace("passive", "magic"), "[[learners]] 1: algorithm must be one of", "'magic'"),
    (LEAST.replace('"passive"', "['passive']"), "[[learners]] 1: algorithm must be one of"),
    (LEAST + "name = 5\n", "[[learners]] 1: name must be"),
    (LEAST + LEARNER, "[[learners]] 2: the name 'passive' is used twice"),
    (LEAST + "c0 = 1.0\n", "[[learners]] 1: ", "c0"),
    (LEAST + "n_features = 3\n", "[[learners]] 1: n_features cannot be set"),
    (LEAST + "learning_rate = []\n", "[[learners]] 1: learning_rate must be one or more values"),
    (LEAST + "learning_rate = true\n", "learning_rate must be text or a finite number, got true"),
    (LEAST + "learning_rate = 'fast'\n", "[[learners]] 1: learning_rate", "'fast'"),
    (LEAST + "learning_rate = nan\n", "[[learners]] 1: learning_rate must be", "got nan"),
    (LEAST + "learning_rate = [0.4, -inf]\n", "[[learners]] 1: learning_rate", "got -inf"),
    (LEAST + "learning_rate = [[0.4]]\n", "[[learners]] 1: learning_rate must be", "got [0.4]"),
    (LEAST + "learning_rate = 0.0\n", "[[learners]] 1: learning_rate must be positive"),
    (LEAST + "learning_rate = 12:00:00\n", "[[learners]] 1: learning_rate must be"),
    (LEAST + "learning_rate = { power = [1, 2] }\n", "learning_rate: 'power' is not a key"),
    (LEAST + "learning_rate = { scale = 1.0 }\n", "learning_rate: powers must be two whole"),
    (LEAST + "learning_rate = { powers = 3 }\n", "learning_rate: powers must be", "got 3"),
    (LEAST + "learning_rate = { powers = [1] }\n", "learning_rate: powers must be"),
    (LEAST + "learning_rate = { powers = [0.5, 2.0] }\n", "learning_rate: powers must be"),
    (LEAST + "learning_rate = { powers = ['1', '2'] }\n", "learning_rate: powers must be"),
    (LEAST + "learning_rate = { powers = [false, true] }\n", "learning_rate: powers must be"),
    (LEAST + "learning_rate = { powers = [8, -2] }\n", "powers must be", "the smaller first"),
    (LEAST + "learning_rate = { powers = [0, 1000000000] }\n", "powers must be", "to 1000"),
    (LEAST + "learning_rate = { powers = [0, 1], scale = 'x' }\n", "scale must be a finite"),
    (LEAST + "learning_rate = { powers = [0, 1], scale = nan }\n", "scale must be a finite"),
    (LEAST + "learning_rate = { powers = [0, 1000], scale = 1e308 }\n", "learning_rate", "got inf"),
    (
        LEAST.replace("passive", "iwal0")
        + "c0 = { powers = [-300, 300] }\nlearning_rate = { powers = [-300, 300] }\n",
        "[[learners]] 1: a grid must have at most 100,000 settings, got 361,201",
    ),
    (
        "permutations = 1000\n" + LEAST.replace("passive", "iwal0")
        + "c0 = { powers = [-40, 40] }\nlearning_rate = { powers = [-40, 40] }\n",
        "must make at most 5,000,000 cells, got 6,562,000",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "parts"), [(text, parts) for text, *parts in BAD])
def test_bad_studies_are_refused(text, parts, refused):
    with refused(InvalidParameter, "mine.toml: ", *parts):
        read_study("far/away/mine.toml", text)


@pytest.mark.parametrize(
    "text",
    [
        "name = 'naïve: a (1), [b] & c'\n" + LEAST,
        "permutations = 1000\nbudgets = [2147483647]\n" + LEAST,
        LEAST + "learning_rate = { powers = [-1000, 10] }\n",
        LEAST.replace("passive", "online_active_cover") + "oracular = true\nbeta_scale = 3\n",
        FILE + "text = 'note'\n" + LEARNER,
    ],
)
def test_good_studies_are_not(text):
    assert read_study("mine.toml", text).contestants


def test_an_unnamed_study_is_named_by_its_file(refused):
    assert read_study("mine.toml", LEAST).name == "mine"
    with refused(InvalidParameter, "name must be", ".toml"):
        read_study(".toml", LEAST)


def test_a_list_of_members_is_one_value_and_a_list_of_lists_an_axis():
    (one,) = read_study("s.toml", AUTO + "members = ['forest', 'extra trees']\n").contestants
    assert one.settings == ('{"members": ["forest", "extra trees"]}',)
    (two,) = read_study("s.toml", AUTO + "members = [['forest'], ['extra trees']]\n").contestants
    assert two.settings == ('{"members": ["forest"]}', '{"members": ["extra trees"]}')


def test_a_part_has_the_cells_of_the_whole_that_are_named(refused):
    whole = read_study(STUDIES / "nips2015.toml")
    part = part_of(whole, permutations=2, datasets=["bank"], contestants=["iwal0"])
    assert part.permutations == 2
    assert part.origins == (Origin("catalog", "bank"),)
    assert [one.name for one in part.contestants] == ["iwal0"]
    assert (part.base, part.text, part.budgets) == (whole.base, whole.text, whole.budgets)
    assert part.settings().keys() < whole.settings().keys()
    assert part_of(whole) == whole
    assert part_of(whole, permutations=10).permutations == 9
    with refused(InvalidParameter, "the study's data sets are titanic", "got 'none'"):
        part_of(whole, datasets=["bank", "none"])
    with refused(InvalidParameter, "the study's contestants are passive", "got 'auto'"):
        part_of(whole, contestants=["auto"])


def test_the_version_of_auto_changes_with_what_fits_it(monkeypatch):
    before = code_of("auto")
    assert code_of("iwal1") == CODE_VERSION != before
    monkeypatch.setattr("askance.oracles.estimator.library_versions", lambda: {"numpy": "0"})
    design._auto_version.cache_clear()
    try:
        assert code_of("auto") != before
    finally:
        design._auto_version.cache_clear()


def test_the_grid_is_what_the_settings_say():
    (one,) = read_study("s.toml", LEAST + "learning_rate = [0.4, 1]\n").contestants
    assert [canonical(point) for point in one.grid] == list(one.settings)
    assert one.grid == ({"learning_rate": 0.4}, {"learning_rate": 1})


def test_a_setting_is_named_by_its_suggested_parameters_too(monkeypatch):
    text = LEAST.replace("passive", "iwal1") + "c0 = 0.1\n[base]\nalgorithm = 'margin'\nb = 1.0\n"
    pairs = [
        ("margin", {"b": 1.0, "learning_rate": 1.6}),
        ("iwal1", {"c0": 0.1, "learning_rate": 1.6}),
    ]
    before = read_study("s.toml", text).settings()
    assert list(before) == [(name, canonical(point)) for name, point in pairs]
    for name, _ in pairs:
        monkeypatch.setitem(SUGGESTED, name, {**SUGGESTED[name], "learning_rate": 3.2})
    after = read_study("s.toml", text).settings()
    assert not before.keys() & after.keys()


@pytest.mark.parametrize("name", ["nips2015", "disagreement", "exact"])
def test_every_committed_result_is_found_by_its_study(name):
    """What was run once is not run again because a setting has another name now."""
    study = read_study(STUDIES / f"{name}.toml")
    assert study.results is not None
    table = read_results(study.results)
    stored = {(cell.algorithm, cell.setting) for cell in cells_of(table)}
    assert stored == study.settings().keys()


def test_the_settings_of_the_projects_studies_stay_what_they_were():
    """Blake2b of all settings, as the studies had them when their results were committed."""
    digests = {}
    # The ablation names the members of the mixture, and changes with them.
    for path in sorted(set(STUDIES.glob("*.toml")) - {STUDIES / "ablation.toml"}):
        text = "\n".join(map("|".join, read_study(path).settings()))
        digests[path.stem] = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    assert digests == {
        "classes": "d92b6d91af7fe447",
        "disagreement": "d53702b2ae39afa1",
        "exact": "b827d16768ee938b",
        "labels": "d7113b66be47307f",
        "nips2015": "c6ac57ef35b32067",
        "smoke": "7f2e553622a9dbc6",
    }


def test_what_is_no_study_is_refused(tmp_path, refused):
    with refused(FileUnreadable, "cannot be read"):
        read_study(tmp_path / "none.toml")
    with refused(FileUnreadable, "not TOML"):
        read_study("study.toml", "= 1")
    with refused(FileUnreadable, "nested too deeply"):
        read_study("study.toml", "a = " + "[" * 100_000)
    with refused(FileUnreadable, "not TOML"):
        read_study("study.toml", "permutations = 1" + "0" * 5000)
