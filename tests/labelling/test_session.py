import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askance.data.reading import readers
from askance.data.reading.intake import Reading
from askance.errors import FileUnreadable, InvalidParameter, UnknownQuestion
from askance.labelling.journal import Journal
from askance.labelling.session import Session, Standing
from askance.labelling.settings import LAG, Settings

EACH = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
ANSWERS = st.sampled_from(["yes", "no", "skip"])
ACTIONS = st.lists(ANSWERS | st.sampled_from(["undo", "reopen", "look"]), max_size=30)


def answered(session, answers):
    for answer in answers:
        assert session.next() is not None
        session.answer(answer)
    session.next()
    return session


@EACH
@given(actions=ACTIONS, algorithm=st.sampled_from(["online_active_cover", "iwal0"]))
def test_what_was_undone_was_never_given(
    tmp_path_factory, mail, begun, state_of, actions, algorithm
):
    """Whatever is answered, skipped, undone and reopened: the answers that hold say it all."""
    chosen = {"algorithm": algorithm} | ({"parameters": {}} if algorithm == "iwal0" else {})
    folder = begun(tmp_path_factory.mktemp("a"), **chosen)
    session, holding = Session(folder, mail, snapshot_every=3), []
    for action in actions:
        if action == "undo":
            undone = session.undo()
            assert (undone and undone.answer) == (holding.pop() if holding else None)
        elif action == "reopen":
            session = Session(folder, mail, snapshot_every=3)
        elif action == "look":
            session.next()
        else:
            answered(session, [action])
            holding.append(action)
    session.next()
    straight = answered(Session(begun(tmp_path_factory.mktemp("b"), **chosen), mail), holding)
    assert session.next() == straight.next()
    assert session.standing() == straight.standing()
    assert session.journal.answers == straight.journal.answers
    assert session.records == straight.records
    assert state_of(session) == state_of(straight)


def test_a_skipped_record_costs_no_label(mail, begun):
    session = Session(begun("a"), mail)
    session.set_budget(3)
    answered(session, ["yes", "skip", "no", "skip"])
    standing = session.standing()
    assert (standing.spent, standing.left, standing.skipped) == (2, 1, 2)
    answered(session, ["no"])
    assert session.next() is None
    assert session.ended == "budget"


def test_a_spent_budget_can_be_undone_or_raised(mail, begun, state_of):
    folder = begun("a")
    session = Session(folder, mail)
    session.set_budget(4)
    answered(session, ["yes", "no", "yes", "no"])
    assert session.next() is None
    session.undo()
    assert session.next() is not None
    answered(session, ["yes"])
    session = Session(folder, mail)
    assert session.next() is None
    session.set_budget(6)
    answered(session, ["no", "no"])
    straight = answered(Session(begun("b"), mail), ["yes", "no", "yes", "yes", "no", "no"])
    assert session.journal.answers == straight.journal.answers
    with pytest.raises(InvalidParameter, match="at least the 6 labels already given, got 5"):
        session.set_budget(5)
    session.set_budget(8)
    assert session.next() is not None
    session.set_budget(6)
    assert (session.ended, session.standing().left) == ("budget", 0)


def test_the_end_of_the_file_is_an_end(mail, begun):
    session = Session(begun("a", algorithm="passive", parameters={}), mail)
    answered(session, ["yes"] * 200)
    assert session.next() is None
    assert session.ended == "input"
    assert session.standing().seen == 200
    session.undo()
    assert session.next().record.id == "200"
    assert session.ended is None


def test_a_file_may_grow_but_not_change(mail, begun):
    folder = begun("a")
    answered(Session(folder, mail, snapshot_every=3), ["yes", "no", "yes", "no", "yes"])
    with mail.open("a") as file:
        file.write("cat,7,lunch now\n")
    session = Session(folder, mail)
    lines = mail.read_text().splitlines(keepends=True)
    last = session.journal.answers[-1].example + 1
    mail.write_text("".join([*lines[: last + 1], "dog,8,other words\n"]))
    Session(folder, mail)
    for changed in (1, last):
        mail.write_text("".join([*lines[:changed], "ann,0,x\n", *lines[changed + 1 :]]))
        with pytest.raises(FileUnreadable, match="has changed since its record"):
            Session(folder, mail)
    mail.write_text("".join(lines[:last]))
    with pytest.raises(FileUnreadable, match="has changed since its record"):
        Session(folder, mail)


def test_scales_are_those_of_the_beginning(mail, tmp_path, state_of):
    """They come from rows that nobody was asked about yet, which may change until they are read."""
    Session.begin(tmp_path, Settings(algorithm="iwal1").settled(mail))
    straight = answered(Session(tmp_path, mail), ["yes", "no", "yes", "no", "yes"])
    assert straight.learner.features.scales.rows == 200
    assert "size" in straight.learner.features.scales.get_state()["centred"]
    lines = mail.read_text().splitlines(keepends=True)
    read = straight.standing().seen
    mail.write_text("".join([*lines[: read + 1], *["ann,90000,win cash\n"] * 900]))
    again = Session(tmp_path, mail)
    again.next()
    assert state_of(again) == state_of(straight)


def test_a_labelling_of_an_earlier_version_goes_on_without_scales(mail, tmp_path, state_of):
    old = Settings(reading=Reading(scale=False)).settled(mail)
    Session.begin(tmp_path, old)
    straight = answered(Session(tmp_path, mail), ["yes", "no", "no"])
    first, *rest = (tmp_path / "journal.jsonl").read_text().splitlines()
    header = json.loads(first)
    header["version"] = 1
    del header["settings"]["scales"], header["settings"]["reading"]["scale"]
    (tmp_path / "journal.jsonl").write_text("\n".join([json.dumps(header), *rest, ""]))
    again = Session(tmp_path, mail)
    again.next()
    assert again.settings == old
    assert state_of(again) == state_of(straight)


def test_nothing_is_answered_where_nothing_was_asked(mail, begun):
    session = Session(begun("a"), mail)
    with pytest.raises(UnknownQuestion, match="no open question"):
        session.answer("yes")
    assert session.undo() is None


def test_a_search_can_be_stopped_and_taken_up_again(mail, begun, state_of):
    session = Session(begun("a", algorithm="margin", parameters={}), mail)
    straight = Session(begun("b", algorithm="margin", parameters={}), mail)
    assert session.next(lambda seen: False) is None
    assert session.ended is None
    assert session.next() == straight.next()


def test_the_journal_alone_brings_everything_back(mail, begun, state_of):
    folder = begun("a")
    session = answered(Session(folder, mail, snapshot_every=2), ["yes", "no", "skip", "no", "yes"])
    for path in folder.glob("snapshot-*"):
        path.unlink()
    again = Session(folder, mail)
    again.next()
    assert state_of(again) == state_of(session)


def test_the_share_of_the_last_hundred():
    standing = Standing(5, None, 0, 250, (0, 1, 149, 150, 249), 0.2, None)
    assert standing.recent == (2, 100)
    assert Standing(2, None, 0, 3, (0, 2), 0.0, None).recent == (2, 3)


def test_batches_that_were_read_ahead_leave_no_trace(tmp_path, state_of, monkeypatch):
    """The undone answers lie in batches of the file whose names the map had not seen before."""
    monkeypatch.setattr(readers, "_JSON_BATCH", 8)
    path = tmp_path / "many.jsonl"
    path.write_text("".join(f'{{"word": "w{i}", "size": {i % 7}}}\n' for i in range(90)))
    settings = Settings(parameters={"cover_size": 2}, reading=Reading(bits=8)).settled(path)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        Session.begin(tmp_path / name, settings)
    first = answered(Session(tmp_path / "a", path, snapshot_every=5), ["yes", "no", "skip"] * 7)
    far = first.standing().seen
    for _ in range(13):
        first.undo()
    first.next()
    assert first.standing().seen < far - 16
    straight = answered(Session(tmp_path / "b", path), (["yes", "no", "skip"] * 7)[:8])
    assert state_of(first) == state_of(straight)
    again = Session(tmp_path / "a", path)
    again.next()
    assert state_of(again) == state_of(straight)


def test_an_answer_is_on_the_disk_before_anything_else_can_fail(mail, begun, monkeypatch):
    session = Session(begun("a"), mail)
    session.next()

    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(session.learner, "tell", fail)
    with pytest.raises(ZeroDivisionError):
        session.answer("yes")
    again = Session(session.folder, mail)
    assert [given.answer for given in again.journal.answers] == ["yes"]
    assert again.standing().spent == 1


@pytest.mark.parametrize(("field", "value"), [("probability", 0.125), ("id", "somebody")])
@pytest.mark.parametrize("line", [4, -1])
@pytest.mark.parametrize("snapshots", [True, False])
def test_an_answer_that_was_changed_in_the_journal_is_noticed(
    mail, begun, refused, *, field, value, line, snapshots
):
    folder = begun("forged")
    session = Session(folder, mail, snapshot_every=8)
    answered(session, ["yes", "no", "skip", "yes"] * 5)
    lines = (folder / "journal.jsonl").read_text().splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | {field: value})
    (folder / "journal.jsonl").write_text("\n".join(lines) + "\n")
    if not snapshots:
        for path in folder.glob("snapshot-*"):
            path.unlink()
    with refused(FileUnreadable, "is damaged", "an id or a probability"):
        Session(folder, mail)


# ------------------------------------------------------------------ a budget that is spread

AUTO = {"algorithm": "auto", "parameters": {"lag": LAG}}


def said(count, start=0):
    return [("yes", "no", "no")[i % 3] for i in range(start, start + count)]


def test_auto_is_told_how_many_records_and_labels_there_are(mail, begun):
    folder = begun("a", **AUTO)
    session = Session(folder, mail)
    learner = session.learner.learner
    assert (learner.budget, learner.horizon, learner.rate, learner.lag) == (None, 200, 0.1, LAG)
    session.set_budget(30)
    assert (learner.budget, learner.horizon) == (30, 200)
    again = Session(folder, mail).learner.learner
    assert (again.budget, again.horizon, again.lag) == (30, 200, LAG)


@pytest.mark.parametrize("when", ["at a question", "in a search"])
def test_a_changed_budget_comes_at_its_example_again(mail, begun, state_of, monkeypatch, when):
    """From snapshots, from the journal alone, and after an undo: the same questions and bits."""
    monkeypatch.setattr("askance.labelling.session.CHUNK", 1)
    folder = begun("a", algorithm="auto", parameters={"lag": 2})
    session = Session(folder, mail, snapshot_every=4)
    session.set_budget(20)
    answered(session, said(6))
    with mail.open("a") as file:
        file.write("ann,7,lunch now\n" * 300)
    session = Session(folder, mail, snapshot_every=4)
    after = session.journal.answers[-1].example + 1
    asked = session.next(lambda seen: when == "at a question" or seen == after)
    assert (asked is None) == (when == "in a search")
    session.set_budget(200)
    assert session.learner.learner.horizon == 500
    assert session.journal.budgets[-1].example > after
    answered(session, said(1, 6))
    expected = state_of(session), session.next()

    again = Session(folder, mail)
    assert again.next() == expected[1]
    assert state_of(again) == expected[0]
    for path in folder.glob("snapshot-*"):
        path.unlink()
    for _ in range(2):
        session.undo()
    assert session.standing().left == 195
    answered(session, said(2, 5))
    alone = Session(folder, mail)
    assert alone.next() == session.next()
    assert state_of(alone) == state_of(session)


def test_reading_ahead_changes_nothing(tmp_path, state_of, monkeypatch):
    """Neither what is asked nor what is saved, though batches are read before they are needed."""
    monkeypatch.setattr(readers, "_JSON_BATCH", 8)
    path = tmp_path / "many.jsonl"
    path.write_text("".join(f'{{"word": "w{i}", "size": {i * i % 7}}}\n' for i in range(120)))
    settings = Settings(algorithm="auto", parameters={"lag": 2}, reading=Reading(bits=6))
    sessions = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        Session.begin(tmp_path / name, settings.settled(path))
        sessions.append(Session(tmp_path / name, path))
        sessions[-1].set_budget(20)
    plain, ahead = sessions
    for answer in said(8):
        assert plain.next() == ahead.next()
        ahead.read_ahead()
        ahead.read_ahead()
        for session in sessions:
            session.answer(answer)
    ahead.next()
    ahead.read_ahead()
    plain.next()
    assert state_of(ahead) == state_of(plain)
    assert ahead.undo() == plain.undo()
    assert ahead.next() == plain.next()
    ahead.close()


def test_a_budget_that_was_to_come_later_never_does(begun, mail):
    journal = Session(begun("a"), mail).journal
    journal.set_budget(5, 0)
    journal.set_budget(7, 40, 200)
    journal.set_budget(9, 20, 200)
    assert [(one.budget, one.example) for one in Journal(journal.path).budgets] == [(5, 0), (9, 20)]
    assert Journal(journal.path).budgets == journal.budgets
    assert journal.budget == 9
