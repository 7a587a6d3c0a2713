from pathlib import Path

import pytest

from askance.data.catalog.folders import cache_folder, data_folders, new_folder
from askance.errors import DatasetUnavailable


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "a" / "b"

    def fail():
        with new_folder(target) as scratch:
            (scratch / "part").write_text("half")
            assert not target.exists()
            raise KeyError("interrupted")

    with pytest.raises(KeyError):
        fail()
    assert list(target.parent.iterdir()) == []
    with new_folder(target) as scratch:
        (scratch / "part").write_text("whole")
    assert (target / "part").read_text() == "whole"
    assert [path.name for path in target.parent.iterdir()] == ["b"]


def test_the_faster_of_two_processes_wins(tmp_path):
    target = tmp_path / "set"
    with new_folder(target) as slow:
        (slow / "part").write_text("slow")
        with new_folder(target) as fast:
            (fast / "part").write_text("fast")
    assert (target / "part").read_text() == "fast"
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").touch()

    def write():
        with new_folder(tmp_path / "file" / "set"):
            pass

    with pytest.raises(DatasetUnavailable, match=r"set could not be written: (File|Not a)"):
        write()


def test_where_files_are_looked_for(tmp_path, monkeypatch):
    downloads = cache_folder() / "data"
    assert data_folders() == [downloads]
    monkeypatch.setenv("ASKANCE_DATA", str(tmp_path))
    assert data_folders() == [tmp_path, downloads]
    assert data_folders("other") == [Path("other"), downloads]
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path("~").expanduser() / ".cache" / "askance"
