import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from askance.cli.data import data_app
from askance.data.catalog import CATALOG

_FOLDER = Path(os.environ.get("ASKANCE_DATA") or Path(__file__).parents[3] / "shared" / "data")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ASKANCE_DATA", raising=False)


@pytest.fixture
def few_files(tmp_path) -> Path:
    """A data folder with two small sets, one of them damaged."""
    if not (_FOLDER / "titanic").is_dir():
        pytest.skip("no folder of raw data: set ASKANCE_DATA")
    for name in ("titanic", "abalone"):
        (tmp_path / "raw" / name).mkdir(parents=True)
        for file in CATALOG[name].files:
            content = (_FOLDER / name / file.name).read_bytes()
            damaged = name == "abalone"
            (tmp_path / "raw" / name / file.name).write_bytes(content[damaged:])
    return tmp_path / "raw"


def run(*arguments):
    return CliRunner().invoke(data_app, [str(a) for a in arguments])


def test_the_list_as_json_has_ours_beside_the_papers(few_files):
    result = run("list", "--json", "--data-dir", few_files)
    assert result.exit_code == 0
    rows = {row["name"]: row for row in json.loads(result.stdout)}
    assert list(rows) == list(CATALOG)
    titanic = rows["titanic"]
    assert titanic["present"]
    assert (titanic["n"], titanic["s"], titanic["d"]) == (2201, 3.0, 8)
    assert (titanic["paper_n"], titanic["paper_r"]) == (2201, 0.323)
    assert titanic["verified"] is False
    assert not rows["census"]["present"]
    assert rows["census"]["n"] is None
    assert rows["rcv1"]["special"]
    assert "is damaged" in rows["abalone"]["error"]


def test_the_list_shows_what_is_here_what_is_special_and_what_is_not_verified(few_files):
    lines = run("list", "--data-dir", few_files).stdout.splitlines()
    words = {line.split()[0]: line.split() for line in lines[1:23]}
    assert words["titanic"] == [
        "titanic",
        "yes",
        "2201",
        "2201",
        "3",
        "3",
        "8",
        "8",
        "0.323",
        "0.323",
        "unverified",
    ]
    assert words["abalone"][1] == "damaged"
    assert words["census"][1:4] == ["no", "-", "299284"]
    assert words["maptaskcoref"][-1] == "none"
    remarks = "\n".join(lines[23:])
    for name in ("rcv1", "vehv2binary", "maptaskcoref"):
        assert f"\n{name}: {CATALOG[name].special}" in remarks


def test_the_environment_can_name_the_folder(few_files, monkeypatch):
    monkeypatch.setenv("ASKANCE_DATA", str(few_files))
    assert "titanic        yes" in run("list").stdout
    assert run("fetch", "titanic").stdout.strip() == f"titanic is in {few_files / 'titanic'}"
    found = json.loads(run("fetch", "titanic", "--json").stdout)
    assert found == {"name": "titanic", "folder": str(few_files / "titanic")}


def test_a_failure_is_one_sentence_on_standard_error_without_a_traceback():
    command = [sys.executable, "-m", "askance", "data", "fetch", "iris"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("askance: no data set is called 'iris'")
    assert done.stderr.count("\n") == 1


def test_a_data_folder_that_does_not_exist_is_a_wrong_call(tmp_path, monkeypatch):
    for command in (["list"], ["fetch", "titanic"]):
        result = run(*command, "--data-dir", "typo")
        assert result.exit_code == 2
        assert "'--data-dir'" in result.stderr
        assert "'typo'" in result.stderr
    (tmp_path / "file").touch()
    assert run("list", "--data-dir", tmp_path / "file").exit_code == 2
    monkeypatch.setenv("ASKANCE_DATA", "typo")
    assert run("list").exit_code == 2


def test_a_wrong_call_exits_with_2():
    assert run("fetch").exit_code == 2
    assert run("list", "--nonsense").exit_code == 2
