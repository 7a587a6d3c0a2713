import io
import os

import pytest

from askance.data.reading.intake import Reading
from askance.errors import BadRecord, FileUnreadable, InvalidParameter
from askance.labelling.opening import opened
from askance.labelling.settings import Settings

SMALL = Settings(reading=Reading(bits=6, format="csv"), parameters={"cover_size": 1})


def test_a_new_one_begins_and_an_old_one_picks_up_where_it_left_off(mail, tmp_path):
    with opened(mail, tmp_path / "kept", SMALL) as session:
        session.next()
        session.answer("yes")
        assert session.settings.reading.text == ("subject",)
    with opened(mail, tmp_path / "kept", Settings()) as again:
        assert [given.answer for given in again.journal.answers] == ["yes"]
        assert again.settings == session.settings


def test_what_a_killed_process_left_is_removed(mail, tmp_path, killed_while_writing):
    with opened(mail, tmp_path, SMALL):
        pass
    left = killed_while_writing(tmp_path / "snapshot-1-0f.askance")
    with opened(mail, tmp_path, SMALL):
        assert not left.exists()


def test_no_two_processes_have_it(mail, tmp_path, refused):
    with (
        opened(mail, tmp_path / "kept", SMALL),
        refused(FileUnreadable, "another process labels there"),
        opened(mail, tmp_path / "kept", SMALL),
    ):
        pass


def test_a_stream_is_copied_once(mail, tmp_path):
    content = mail.read_bytes()
    with opened(io.BytesIO(content), tmp_path / "kept", SMALL) as session:
        assert session.next().record.id == "1"
        assert session.source.read_bytes() == content
    with opened(io.BytesIO(b"something else"), tmp_path / "kept", SMALL) as session:
        assert session.source.read_bytes() == content


def test_what_cannot_be_read_leaves_nothing_behind(tmp_path, refused):
    (tmp_path / "empty.csv").write_text("size\n")
    with (
        refused(BadRecord, "holds no records"),
        opened(tmp_path / "empty.csv", tmp_path / "kept", SMALL),
    ):
        pass
    assert not (tmp_path / "kept").exists()


def test_a_pipe_is_refused_before_it_is_opened(tmp_path, refused):
    os.mkfifo(tmp_path / "pipe")
    with (
        refused(FileUnreadable, "is not a regular file and can be read only once"),
        opened(tmp_path / "pipe", tmp_path / "kept", SMALL),
    ):
        pass


@pytest.mark.parametrize(
    ("wanted", "chosen"),
    [
        (Settings(seed=4), {"seed"}),
        (Settings(classes=("no", "spam")), {"positive", "seed"}),
        (Settings(parameters={"cover_size": 2}), {"cover_size"}),
        (Settings(parameters={"c0": 2.0}), {"c0"}),
        (Settings(reading=Reading(ignore=("size",))), {"label"}),
    ],
)
def test_another_choice_than_it_began_with_is_refused(mail, tmp_path, refused, wanted, chosen):
    with opened(mail, tmp_path, SMALL):
        pass
    with (
        refused(InvalidParameter, "began with", "leave the option out to continue"),
        opened(mail, tmp_path, wanted, chosen),
    ):
        pass
    with opened(mail, tmp_path, wanted, ()):
        pass
