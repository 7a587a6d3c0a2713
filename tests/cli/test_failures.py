"""Every command's bad input: one sentence, no traceback, exit code 1 or 2, nothing left behind."""

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from askance import ActiveLearner
from askance.cli import app
from askance.data.features import FeatureMap
from askance.storage.states import VERSION

READERS = {
    "run": ["run", "{file}", "--label", "y"],
    "compare": ["compare", "{file}", "--label", "y", "--permutations", "1"],
}
MODELS = {
    "predict": ["predict", "{model}", "{file}"],
    "inspect": ["inspect", "{model}"],
    "export": ["export", "{model}", "--sample", "out.csv"],
}
OTHERS = [
    (["data", "list", "--data-dir", "gone"], 2, "'gone'"),
    (["data", "fetch", "iris"], 1, "no data set is called 'iris'"),
    (["study", "run", "gone.toml"], 1, "gone.toml cannot be read"),
    (["study", "status", "gone.toml"], 1, "gone.toml cannot be read"),
    (["study", "verify", "gone.toml"], 1, "gone.toml cannot be read"),
    (["study", "run", "garbage.csv"], 1, "is not TOML"),
    (["study", "run", "empty.csv"], 1, "a study needs"),
    (["study", "export", "gone", "-o", "x.csv"], 1, "is not a store of a study"),
    (["study", "report", "gone", "-o", "x"], 1, "is not a store of a study"),
    (["theory", "run", "nonsense"], 2, "no experiment is called 'nonsense'"),
    (["theory", "run", "hard", "--seeds", "0"], 2, "--seeds"),
    (["theory", "document", "gone.md"], 2, "does not exist"),
    (["demo", "--seed", "x"], 2, "--seed"),
    (["demo", "--quick", "--output", "good.csv"], 2, "good.csv"),
    (["demo", "--quick", "--output", "good.csv/inside"], 1, "good.csv"),
    (["run", "good.csv", "--label", "y", "--budget", "0"], 2, "--budget"),
    (["run", "good.csv", "--label", "y", "--format", "xls"], 2, "xls"),
    (["run", "good.csv", "--label", "y", "--algorithm", "iwal2"], 2, "iwal2"),
    (["run", "good.csv", "--label", "y", "--algorithm", "iwal1", "--c0", "-1"], 1, "c0 must be"),
    (["run", "good.csv", "--label", "y", "--algorithm", "passive", "--c0", "1"], 1, "c0"),
    (["run", "good.csv", "--label", "y", "--queried", "bought.xls"], 1, "bought.xls"),
    (["run", "good.csv", "--label", "y", "--output", "good.csv"], 2, "good.csv"),
    (["run", "good.csv", "--label", "y", "--output", "good.csv/inside"], 1, "good.csv"),
    (["run", "good.csv", "--label", "y", "--text", "z"], 1, "'z'"),
    (["run", "good.csv", "--label", "y", "--id", "y"], 1, "must name different columns"),
    (["run", "good.csv", "--label", "y", "--param", "n_features=3"], 1, "n_features cannot be set"),
    (["compare", "good.csv", "--label", "y", "--id", "y"], 1, "must name different columns"),
    (
        ["compare", "good.csv", "--label", "y", "--algorithm", "margin:n_features=3"],
        1,
        "n_features cannot be set",
    ),
    (
        ["compare", "good.csv", "--label", "y", "--permutations", "1001"],
        2,
        "or equal to 1000",
    ),
    (["label", "good.csv", "--label", "x", "--id", "x"], 1, "must name different columns"),
    (["label", "good.csv", "--param", "n_features=3"], 1, "n_features cannot be set"),
    (["label", "good.csv", "--positive", "\udcff"], 1, "must be valid Unicode text, got '\\udcff'"),
    (["run", "good"], 1, "format must be one of"),
    (["run"], 2, "FILE"),
    (["ask", "good.csv"], 2, "--model"),
    (["ask", "good.csv", "--model", "m.askance"], 1, "the first round needs a plan"),
    (["ask", "good.csv", "--model", "m.askance", "--budget", "9"], 2, "go together"),
    (["ask", "good.csv", "--model", "good.model", "--jobs", "0"], 2, "--jobs"),
    (["ask", "*.vw", "--model", "m.askance"], 1, "no file matches"),
    (["ask", "good.csv", "--model", "good.model"], 1, "knows no pool"),
    (["ask", "good.csv", "--model", "m.askance", "-o", "q.xls"], 1, "or .json"),
    (["tell", "good.model"], 2, "--close"),
    (["tell", "good.model", "gone.csv"], 1, "does not exist"),
    (["tell", "good.model", "wrong.csv"], 1, "no label column 'label'"),
    (["tell", "good.model", "--close"], 1, "knows no pool"),
    (["tell", "gone.model", "--close"], 1, "does not exist"),
    (["compare", "good.csv", "--label", "y", "--budget", "0"], 2, "--budget"),
    (["compare", "good.csv", "--label", "y", "--permutations", "0"], 2, "--permutations"),
    (["compare", "good.csv", "--label", "y", "--output", "good.csv/inside"], 1, "good.csv"),
    (["label", "good.csv", "--positive", "no"], 1, "two or more different names"),
    (["label", "good.csv", "--session", "good.csv/inside"], 1, "good.csv"),
    (["predict", "good.model"], 2, "FILE"),
    (["label", "good.csv", "--id", "z"], 1, "no id column 'z'"),
    (["label", "good.csv", "--algorithm", "iwal2"], 2, "iwal2"),
    (["evaluate", "good.csv", "--predictions", "good.csv", "--column", "y"], 1, "good.csv"),
    (["serve", "--db", "mysql://here/db"], 1, "a database must be"),
    (["replay", "--db", "mysql://here/db"], 1, "a database must be"),
]
FILES = {
    "gone.csv": (None, "does not exist"),
    "wrong.csv": ("x,z\n1,0\n2,1\n", "wrong.csv has no"),
    "three.csv": (
        "x,y\n1,a\n2,b\n3,c\n",
        "three.csv has 3 labelled records, five or more were expected",
    ),
    "third.csv": (
        "x,y\n1,0\n2,1\n3,2\n",
        "third.csv has 3 labelled records, five or more were expected",
    ),
    "empty.csv": ("", "empty.csv is empty"),
    "header.csv": ("x,y\n", "header.csv holds no records"),
    "garbage.csv": (np.random.default_rng(0).bytes(3000), "garbage.csv"),
    "garbage.parquet": (b"PAR1 and then nothing", "garbage.parquet"),
    "garbage.csv.gz": (b"\x1f\x8b" + b"garbage" * 9, "garbage.csv.gz"),
    "garbage.jsonl": ("{'x': 1}\n", "line 1 of garbage.jsonl is not JSON"),
    "ragged.csv": ("x,y\n1,0\n2\n", "row 2 of ragged.csv has 1 fields"),
    "words.csv": ("x,y\n1,0\ntwo,1\n", "row 2 of words.csv has 'two'"),
}
LABELS_ONLY = ("three.csv", "third.csv")
"""Files that are only wrong for who looks at their labels."""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Good files and bad ones, a good model and bad ones."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ASKANCE_DATA", raising=False)
    for name, (content, _) in FILES.items():
        if content is not None:
            (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    rows = "".join(f"{i},{i % 2}\n" for i in range(20))
    for name in ("good.csv", "good"):
        (tmp_path / name).write_text("x,y\n" + rows)
    features = FeatureMap()
    features.encode({"x": 1.0})
    learner = ActiveLearner("passive", features=features, reading={"label": "y"})
    learner.save(tmp_path / "good.model")
    (tmp_path / "cut.model").write_bytes((tmp_path / "good.model").read_bytes()[:-40])
    header = {"format": "askance", "version": VERSION + 1, "kind": "active learner", "state": {}}
    with (tmp_path / "newer.model").open("wb") as file:
        np.savez(file, header=np.frombuffer(json.dumps(header).encode(), np.uint8))
    return tmp_path


def complaint(arguments, code):
    """What the command says on standard error, having failed as it should."""
    before = {path: path.stat().st_mtime_ns for path in Path().iterdir() if path.is_file()}
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == code, done.output
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    if code == 1:
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert len(done.stderr) < 300
    after = {path: path.stat().st_mtime_ns for path in Path().iterdir() if path.is_file()}
    assert after == before
    assert [path.name for path in Path().iterdir() if path.is_dir()] in ([], ["cache"])
    return " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("command", READERS)
def test_a_file_that_cannot_be_learned_from(folder, command, name):
    found = complaint([part.format(file=name) for part in READERS[command]], 1)
    assert FILES[name][1] in found


@pytest.mark.parametrize("name", [name for name in FILES if name not in LABELS_ONLY])
def test_a_file_that_cannot_be_predicted(folder, name):
    arguments = ["predict", "good.model", name, "-o", "out.csv"]
    if name == "wrong.csv":
        # A hashed map takes any column: there is nothing wrong with this file.
        assert CliRunner().invoke(app, arguments).exit_code == 0
        return
    assert FILES[name][1] in complaint(arguments, 1)


@pytest.mark.parametrize(
    ("model", "part"),
    [
        ("gone.model", "does not exist"),
        ("empty.csv", "damaged or was not saved by askance"),
        ("garbage.csv", "damaged or was not saved by askance"),
        ("good.csv", "damaged or was not saved by askance"),
        ("cut.model", "damaged or was not saved by askance"),
        ("newer.model", f"format version {VERSION + 1}, newer than {VERSION}"),
    ],
)
@pytest.mark.parametrize("command", MODELS)
def test_a_model_that_cannot_be_used(folder, command, model, part):
    arguments = [each.format(model=model, file="good.csv") for each in MODELS[command]]
    assert part in complaint(arguments, 1)


@pytest.mark.parametrize(("arguments", "code", "part"), OTHERS, ids=lambda x: str(x)[:40])
def test_a_call_that_is_wrong(folder, arguments, code, part):
    assert part in complaint(arguments, code)


def commands():
    """Every command, those of groups with their group."""
    for name, command in typer.main.get_command(app).commands.items():
        inner = getattr(command, "commands", None)
        yield from ([name],) if inner is None else ([name, each] for each in inner)


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_every_command_has_bad_input_here_json_and_help_with_an_example(command):
    tried = [arguments[: len(command)] for arguments, _, _ in OTHERS]
    tried += [arguments[:1] for arguments in (*READERS.values(), *MODELS.values())]
    assert command in tried
    shown = CliRunner().invoke(app, [*command, "--help"], terminal_width=200).output
    assert "--json" in shown
    assert f"askance {' '.join(command)}" in " ".join(shown.split()).partition("Example:")[2]
