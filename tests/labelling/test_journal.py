import json
import resource
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.errors import FileUnreadable
from askance.labelling.journal import GivenAnswer, Journal

ONE = GivenAnswer(0, "a", "yes", 1.0, "00")
TWO = GivenAnswer(4, "b\n\x1b\u2028", "skip", 1 / 3, "01")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "journal.jsonl"
    Journal.begin(path, {"seed": 1})
    return path


def test_what_is_added_is_there_for_the_next_reader(path):
    journal = Journal(path)
    journal.answer(ONE)
    journal.answer(TWO)
    journal.set_budget(9)
    again = Journal(path)
    assert again.answers == [ONE, TWO]
    assert (again.budget, again.settings) == (9, {"seed": 1})


def test_a_budget_keeps_its_place_unless_the_answers_before_it_are_undone(path):
    journal = Journal(path)
    journal.set_budget(9)
    journal.answer(ONE)
    journal.set_budget(12, 3, 100)
    journal.answer(TWO)
    journal.set_budget(14, 5, 200)
    assert journal.budgets == [(9, 0, None, 0), (12, 3, 100, 1), (14, 5, 200, 2)]
    journal.undo()
    assert journal.budgets == [(9, 0, None, 0), (12, 3, 100, 1), (14, 1, 200, 1)]
    journal.undo()
    assert journal.budgets == [(9, 0, None, 0), (12, 0, 100, 0), (14, 0, 200, 0)]
    assert Journal(path).budgets == journal.budgets


def test_a_budget_of_an_earlier_version_comes_after_the_last_answer(path):
    journal = Journal(path)
    journal.answer(TWO)
    with path.open("a") as file:
        file.write('{"budget": 7}\n')
    assert Journal(path).budgets == [(7, 5, None, 1)]


def test_an_undone_answer_is_gone(path):
    journal = Journal(path)
    journal.answer(ONE)
    journal.undo()
    journal.answer(TWO)
    assert Journal(path).answers == journal.answers == [TWO]


@given(data=st.data())
def test_a_line_that_was_not_finished_is_dropped_and_written_over(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("torn") / "journal.jsonl"
    Journal.begin(path, {})
    journal = Journal(path)
    journal.answer(ONE)
    whole = path.read_bytes()
    journal.answer(TWO)
    cut = data.draw(st.integers(len(whole), path.stat().st_size - 1))
    path.write_bytes(path.read_bytes()[:cut])
    torn = Journal(path)
    assert torn.answers == [ONE]
    torn.answer(TWO)
    assert Journal(path).answers == [ONE, TWO]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{]", "line 2 of .* is damaged"),
        ("[1]", "line 2 of .* is damaged"),
        ('{"undo": 0}', "does not fit"),
        ('{"example": 1}', "does not fit"),
        ('{"budget": "many"}', "does not fit"),
        ('{"budget": 0}', "does not fit"),
        ('{"budget": 5, "example": -1}', "does not fit"),
        ('{"budget": 5, "example": 3, "horizon": "all"}', "does not fit"),
        ('{"budget": 5, "labels": 3}', "does not fit"),
        ("[" * 100_000, "line 2 of .* is damaged"),
        (json.dumps(ONE._replace(answer="maybe")._asdict()), "does not fit"),
        (json.dumps(ONE._replace(example="0")._asdict()), "does not fit"),
        (json.dumps(ONE._replace(id=None)._asdict()), "does not fit"),
        (json.dumps(ONE._replace(check=7)._asdict()), "does not fit"),
        (json.dumps(ONE._replace(probability=0)._asdict()), "does not fit"),
        (json.dumps(ONE._replace(probability=[1])._asdict()), "does not fit"),
    ],
)
def test_damage_is_told(path, line, message):
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(FileUnreadable, match=message):
        Journal(path)


@pytest.mark.parametrize("content", ["", "{}\n", '{"format": "x"}\n'])
def test_a_foreign_file_is_refused(tmp_path, content):
    (tmp_path / "j").write_text(content)
    with pytest.raises(FileUnreadable, match="is not a journal"):
        Journal(tmp_path / "j")


@pytest.mark.parametrize("first", [{"version": "1"}, {"settings": []}, {"version": None}])
def test_a_damaged_beginning_is_told(path, first):
    path.write_text(json.dumps({**json.loads(path.read_text()), **first}) + "\n")
    with pytest.raises(FileUnreadable, match=r"line 1 of .* is damaged"):
        Journal(path)


def test_any_text_can_be_an_id(path):
    journal = Journal(path)
    for number, id in enumerate(["\ud800", "\x00\x1b", "\u2028\r\n", "\U0001f600"]):
        journal.answer(GivenAnswer(number, id, "yes", 1.0, "00"))
    assert Journal(path).answers == journal.answers


def test_a_newer_journal_is_refused(path):
    first = json.loads(path.read_text())
    path.write_text(json.dumps({**first, "version": 99}) + "\n")
    with pytest.raises(FileUnreadable, match="newer than 3"):
        Journal(path)


def test_a_missing_journal_is_one_sentence(tmp_path):
    with pytest.raises(FileUnreadable, match="cannot be read"):
        Journal(tmp_path / "nothing")


def test_what_does_not_fit_on_the_disk_is_not_there_later(path):
    journal = Journal(path)
    journal.answer(ONE)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 9, before[1]))
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            journal.answer(TWO)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert caught.value.filename == str(path)
    assert journal.answers == Journal(path).answers == [ONE]
    journal.answer(TWO)
    assert Journal(path).answers == [ONE, TWO]
