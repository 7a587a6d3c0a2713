"""Rounds over a pool: every row is decided once, and 1/P is unbiased over the whole pool."""

import datetime
import itertools
import json
import os
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.scale.conftest import ROWS, plan, truth

from askance import ActiveLearner
from askance.data.reading.files import find_files
from askance.data.reading.intake import Intake, Reading
from askance.data.reading.readers import read
from askance.errors import BadRecord, FileUnreadable, InvalidParameter, LabelConflict
from askance.scale import PoolPlan, Workers, ask_pool, pending_questions, predict_pool, tell_pool
from askance.scale.asking import opened_model
from askance.scale.draws import Draws, draws_of
from askance.scale.exchange import read_answers, write_questions


def answers(questions):
    return {question.id: truth(question.fields) for question in questions}


def all_rounds(pool, model, chosen, *, late=0, missing=None):
    """Ask and tell until the pool is decided; the last few answers come a round later.

    ``missing`` says of a question whether its answer never comes.
    """
    found, waiting = [], []
    for number in itertools.count(1):
        found.append(ask_pool(pool, model, chosen if number == 1 else None))
        asked = waiting + [one for one in found[-1].questions if not (missing and missing(one))]
        cut = len(asked) - late
        tell_pool(model, answers(asked[:cut]))
        waiting = asked[cut:]
        if number == found[-1].rounds:
            tell_pool(model, answers(waiting), close=True)
            return found
    return None


def test_rounds_decide_every_row_once_and_ask_about_as_many_as_planned(pool, model):
    found = all_rounds(pool, model, plan())
    assert [round.number for round in found] == [1, 2, 3]
    assert sum(round.examples for round in found) == ROWS
    ids = [question.id for round in found for question in round.questions]
    assert len(set(ids)) == len(ids) == pytest.approx(150, abs=40)
    # The first round asks about all rows alike, the others where the classifier is not sure.
    shares = [{question.probability for question in round.questions} for round in found]
    assert shares[0] == {150 / ROWS}
    assert all(len(share) > 1 for share in shares[1:])
    near = [abs(q.fields["x"] + 0.3 * q.fields["y"]) for r in found[1:] for q in r.questions]
    first = [abs(q.fields["x"] + 0.3 * q.fields["y"]) for q in found[0].questions]
    assert np.median(near) < 0.3 * np.median(first)


def test_a_model_of_a_pool_predicts_and_knows_its_sample(pool, model):
    all_rounds(pool, model, plan(), late=7)
    live = ActiveLearner.load(model)
    assert live.classes == ("down", "up")
    assert live.weighted_sample().n == live.stats().seen == live.stats().learned == ROWS
    live.settle()
    records = [r._replace(fields={k: r.fields[k] for k in "xy"}) for r in every_row(pool)]
    wrong = [live.predict(r) != (1 if truth(r.fields) == "up" else -1) for r in records]
    assert np.mean(wrong) < 0.08
    places = live.label_places()
    assert places.positions.tolist() == live.weighted_sample().ids.tolist()
    assert live.stats().error.low <= live.stats().error.high


def every_row(pool):
    return [record for file in find_files(pool) for record in read(file)]


def is_near(fields):
    return abs(fields["x"] + 0.3 * fields["y"]) < 0.3


class Estimates(NamedTuple):
    """The error of a fixed classifier that is wrong near the boundary, by the weighted labels.

    ``over_rows`` is the sum of weights over the rows, and ``over_weights`` over all weights.
    """

    over_rows: float
    over_weights: float


def estimates(pool, model, seed, missing):
    rng = np.random.default_rng([9, seed])
    gone = (lambda _: rng.random() < missing) if missing else None
    chosen = plan(seed=seed, budget=600, questions=200)
    found = all_rounds(pool, model, chosen, late=9, missing=gone)
    near = {one.id: is_near(one.fields) for round in found for one in round.questions}
    live = ActiveLearner.load(model)
    model.unlink()
    assert (live.stats().withdrawn > 0) == (missing > 0)
    ids = {number: id for number, id, _ in live.pool["asked"]}
    sample = live.weighted_sample()
    wrong = sample.weight[[near[ids[number]] for number in sample.ids.tolist()]].sum()
    return Estimates(wrong / ROWS, wrong / sample.weight.sum())


def bias(pool, model, seeds, missing=0.0):
    """By how many standard errors the means over seeds are off."""
    found = np.array([estimates(pool, model, seed, missing) for seed in range(seeds)])
    share = np.mean([is_near(record.fields) for record in every_row(pool)])
    # What is missing by chance is missing in the sum over all rows, and not in a share.
    expected = np.array([(1 - missing) * share, share])
    return Estimates(*(found.mean(0) - expected) / (found.std(0, ddof=1) / np.sqrt(seeds)))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_weighted_labels_are_unbiased_over_the_whole_pool(pool, model, missing):
    assert np.abs(bias(pool, model, 8, missing)).max() < 4.5


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_they_are_unbiased_over_many_seeds(pool, model, missing):
    found = bias(pool, model, 300, missing)
    assert abs(found.over_rows) < 3.5
    # A ratio of two sums is off by a term of the order of one over the labels.
    assert abs(found.over_weights) < 4.5


def test_rows_that_are_decided_in_two_rounds_would_bias_them(pool, model, monkeypatch):
    once, seen = Draws.rounds, {}

    def twice(draws, count):
        """Rows of the round before come again unless they were asked about."""
        rounds = once(draws, count)
        asked = pending_coins(model) if model.exists() else []
        current = seen["round"]
        return np.where((rounds == current - 1) & ~np.isin(draws.coin, asked), current, rounds)

    monkeypatch.setattr(Draws, "rounds", twice)
    original = ask_pool

    def counted(pool, model, chosen=None):
        seen["round"] = 0 if not model.exists() else seen["round"] + 1
        return original(pool, model, chosen)

    monkeypatch.setitem(globals(), "ask_pool", counted)
    assert bias(pool, model, 5).over_rows > 5


def pending_coins(model):
    """The coins of all rows that were asked about so far."""
    pool = ActiveLearner.load(model).pool
    ids = [id for _, id, _ in pool["asked"]]
    return draws_of(pool["seed"], ids, 0, len(ids)).coin


def test_the_same_pool_in_other_files_is_asked_the_same(pool, model, tmp_path):
    texts = [path.read_text().splitlines() for path in sorted(tmp_path.glob("pool-*.csv"))]
    rows = [line for lines in texts for line in lines[1:]]
    for i in range(4):
        part = "\n".join([texts[0][0], *rows[i * 300 : (i + 1) * 300]])
        (tmp_path / f"other-{i}.csv").write_text(part + "\n")
    whole = all_rounds(pool, model, plan())
    parts = all_rounds(tmp_path / "other-*.csv", tmp_path / "other.askance", plan())
    assert [round.questions for round in whole] == [round.questions for round in parts]


def test_rows_without_ids_are_told_apart_by_their_numbers(pool, model):
    chosen = plan(reading=Reading(ignore=("doc",), bits=8))
    round = ask_pool(pool, model, chosen)
    ids = [int(question.id) for question in round.questions]
    draws = draws_of(0, None, 0, ROWS)
    expected = np.flatnonzero((draws.rounds(3) == 0) & (draws.coin < 150 / ROWS)) + 1
    assert ids == expected.tolist()
    assert ids[-1] > ROWS // 2
    assert tell_pool(model, answers(round.questions)).learned == len(ids)


def test_a_round_that_no_answer_could_have_changed_is_refused(pool, model):
    first = ask_pool(pool, model, plan())
    before = model.read_bytes()
    with pytest.raises(LabelConflict, match=f"none of the {len(first.questions)} questions"):
        ask_pool(pool, model)
    assert model.read_bytes() == before
    assert pending_questions(model) == first.questions
    tell_pool(model, answers(first.questions[:1]))
    second = ask_pool(pool, model)
    assert second.pending == len(first.questions) - 1 + len(second.questions)


def test_what_cannot_be_asked_is_said_in_one_sentence(pool, model, tmp_path):
    with pytest.raises(InvalidParameter, match="the first round needs a plan"):
        ask_pool(pool, model)
    all_rounds(pool, model, plan())
    with pytest.raises(InvalidParameter, match="all 3 rounds"):
        ask_pool(pool, model)
    other = tmp_path / "n.askance"
    tell_pool(other, answers(ask_pool(pool, other, plan()).questions))
    with pytest.raises(InvalidParameter, match="has 1,200 rows, got 600"):
        ask_pool(str(pool).replace("*", "a"), other)
    differs = {
        "budget 150, got 200": plan(budget=200),
        "seed 0, got 3": plan(seed=3),
        r"classes \['down', 'up'\], got \['up', 'down'\]": plan(classes=("up", "down")),
        "id 'doc', got 'x'": PoolPlan(reading=Reading(id="x")),
        r"strings \(\), got \('x',\)": PoolPlan(reading=Reading(strings=("x",))),
        "format None, got 'tsv'": PoolPlan(reading=Reading(format="tsv")),
    }
    for reason, chosen in differs.items():
        with pytest.raises(InvalidParameter, match=f"began with {reason}: leave it out to go on"):
            ask_pool(pool, other, chosen)
    assert ask_pool(pool, other, plan()).number == 2
    plain = tmp_path / "plain.askance"
    ActiveLearner("passive", n_features=2).save(plain)
    with pytest.raises(InvalidParameter, match="it knows no pool"):
        ask_pool(pool, plain)
    with pytest.raises(InvalidParameter, match="was not made by askance ask"):
        pending_questions(plain)
    with pytest.raises(FileUnreadable, match=r"the folder of .*nowhere/m.askance does not exist"):
        ask_pool(pool, tmp_path / "nowhere" / "m.askance", plan())
    with pytest.raises(InvalidParameter, match="different names"):
        plan(classes=("1", "1.0"))


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_file_of_a_pool_must_have_the_columns_of_the_first(pool, model, tmp_path, jobs):
    text = (tmp_path / "pool-b.csv").read_text().splitlines()
    (tmp_path / "pool-b.csv").write_text("\n".join(line.rpartition(",")[0] for line in text))
    # Without scales nothing of the second file is read ahead.
    unscaled = plan(reading=Reading(id="doc", bits=8, scale=False))
    with pytest.raises(BadRecord, match=r"pool-b.csv has no column 'y' as other files have"):
        ask_pool(pool, model, unscaled, workers=Workers(jobs))
    assert not model.exists()
    # What is left out need not be there.
    assert ask_pool(pool, model, plan(reading=Reading(id="doc", bits=8, ignore=("y",)))).questions


def test_two_rows_of_one_id_are_refused(tmp_path, model):
    (tmp_path / "twice.csv").write_text("doc,x,y\n" + "a,1,1\n" * 50)
    with pytest.raises(InvalidParameter, match="'a' belongs to two rows"):
        ask_pool(tmp_path / "twice.csv", model, plan(budget=50, questions=50))
    assert not model.exists()


ODD_IDS = ["NA", "null", "nan", "", "N/A", "'q", "=q"]


def test_ids_that_look_missing_come_back(tmp_path, model):
    table = {"doc": [*ODD_IDS, *(f"q{i}" for i in range(40))], "x": range(47), "y": range(47)}
    pq.write_table(pa.table(table), tmp_path / "odd.parquet")
    asked = ask_pool(tmp_path / "odd.parquet", model, plan(budget=47, questions=47)).questions
    write_questions(tmp_path / "q.csv", asked)
    lines = (tmp_path / "q.csv").read_text().splitlines()
    filled = [lines[0], *(line.replace(",,", ",up,", 1) for line in lines[1:])]
    (tmp_path / "a.csv").write_text("\n".join(filled) + "\n")
    assert tell_pool(model, read_answers(tmp_path / "a.csv")).learned == 47


def test_ids_of_csv_that_look_missing_are_ids(tmp_path):
    """In whichever block they stand, and whether they are quoted or not."""
    many = [f"q{i}" for i in range(60_000)]
    many[7], many[30_000], many[59_000] = "NA", '"null"', "nan"
    lines = "".join(f"{id},{i % 97},some more words to fill a block\n" for i, id in enumerate(many))
    (tmp_path / "many.csv").write_text("doc,x,note\n" + lines)
    reading = Reading(id="doc", scale=False)
    batches = list(Intake(tmp_path / "many.csv", reading, every_id=True).batches())
    assert len(batches) > 2
    ids = [id for batch in batches for id in batch.ids]
    assert ids == [id.strip('"') for id in many]


@pytest.mark.parametrize("form", ["parquet", "csv", "jsonl"])
def test_a_row_without_an_id_is_refused(tmp_path, model, form):
    path = tmp_path / f"some.{form}"
    if form == "parquet":
        pq.write_table(pa.table({"doc": ["a", None, "c"], "x": [1, 2, 3]}), path)
    elif form == "csv":
        path.write_text("doc,x\nNA,1\n,2\nc,3\n")
    else:
        path.write_text('{"doc": "a", "x": 1}\n{"x": 2}\n')
    with pytest.raises(BadRecord, match=rf"row 2 of .*some.{form} has no id in column 'doc'"):
        ask_pool(path, model, plan())
    assert not model.exists()


def test_columns_that_are_named_are_strings_or_left_out(tmp_path, model):
    """Whatever they hold: in a CSV file numbers and then words, in Parquet times and bytes."""
    rows = "".join(f"{i},{i if i < 9 else 'x'},{'w' if i else 7}\n" for i in range(400))
    (tmp_path / "odd.csv").write_text("x,code,note\n" + rows)
    chosen = plan(reading=Reading(bits=8, strings=("code",), ignore=("note",)))
    found = ask_pool(tmp_path / "odd.csv", model, chosen)
    assert set(found.questions[0].fields) == {"x", "code"}
    tell_pool(model, {one.id: "up" for one in found.questions})
    live = ActiveLearner.load(model)
    chunks = list(predict_pool(live, tmp_path / "odd.csv", Workers(2)))
    assert sum(len(chunk["id"]) for chunk in chunks) == 400
    times = pa.array([datetime.datetime(2020, 1, 1)] * 400)
    table = {"x": range(400), "at": times, "raw": pa.array([b"\xff"] * 400)}
    pq.write_table(pa.table(table), tmp_path / "odd.parquet")
    model.unlink()
    chosen = plan(reading=Reading(bits=8, ignore=("at", "raw")))
    assert set(ask_pool(tmp_path / "odd.parquet", model, chosen).questions[0].fields) == {"x"}


def test_records_of_json_need_not_have_every_key_in_any_file(tmp_path, model):
    for part in range(3):
        keys = [{"x": 1, "y": 2}, {"x": 1, "z": 3}, {"z": 2.5}][part]
        (tmp_path / f"{part}.jsonl").write_text(json.dumps(keys) + "\n" + '{"x": 4}\n' * 99)
    chosen = plan(reading=Reading(bits=8))
    assert ask_pool(tmp_path / "*.jsonl", model, chosen, workers=Workers(2)).examples > 50


def test_a_column_is_in_every_file_what_it_is_in_the_first(tmp_path, model):
    (tmp_path / "a.csv").write_text("x,code\n" + "".join(f"{i},abc{i}\n" for i in range(10)))
    later = (f"{i},{123 if i == 0 else f'q{i}'}\n" for i in range(390))
    (tmp_path / "b.csv").write_text("x,code\n" + "".join(later))
    chosen = plan(reading=Reading(bits=8))
    parts = ask_pool(tmp_path / "?.csv", model, chosen).questions
    joined = (tmp_path / "a.csv").read_text() + (tmp_path / "b.csv").read_text()[7:]
    (tmp_path / "whole.csv").write_text(joined)
    assert ask_pool(tmp_path / "whole.csv", tmp_path / "w.askance", chosen).questions == parts


def test_labels_of_text_formats_do_not_matter(tmp_path, model):
    for part, labels in enumerate(("01", "2", "012")):
        lines = "".join(f"{labels[i % len(labels)]} 1:{i}\n" for i in range(100))
        (tmp_path / f"{part}.libsvm").write_text(lines)
    chosen = plan(reading=Reading(bits=8), classes=("0", "1", "2"))
    assert ask_pool(tmp_path / "*.libsvm", model, chosen).questions


def test_one_process_at_a_time_by_whatever_name(pool, model, tmp_path):
    ask_pool(pool, model, plan())
    link = tmp_path / "link.askance"
    link.symlink_to(model)
    for name in (model, link):
        with opened_model(name), pytest.raises(FileUnreadable, match="is in use"):
            tell_pool(model, {})
    assert tell_pool(link, {}).pending > 0
    assert link.is_symlink()


def test_rows_in_another_order_are_asked_the_same(tmp_path):
    """With ids nothing depends on where a row stands: not even scales, kinds or what is text."""
    rng = np.random.default_rng(1)
    # More than are kept of a round, so that it matters which ones are.
    n = 9000
    x, y = rng.normal(size=(2, n))
    x += np.arange(n) / 3000
    words = [" ".join(f"w{w}" for w in row) for row in rng.integers(50, size=(n, 3))]
    table = pa.table({"doc": [f"d{i}" for i in range(n)], "x": x, "y": y, "note": words})
    order = rng.permutation(n)
    pq.write_table(table, tmp_path / "whole.parquet")
    for part in range(3):
        pq.write_table(table.take(order[part::3]), tmp_path / f"part-{part}.parquet")
    found = [
        all_rounds(tmp_path / names, tmp_path / f"{names[0]}.askance", plan())
        for names in ("whole.parquet", "part-*.parquet")
    ]
    whole, parts = (
        [sorted((q.id, q.probability) for q in round.questions) for round in rounds]
        for rounds in found
    )
    assert whole == parts
    assert len(whole[2]) > 20
    features = ActiveLearner.load(tmp_path / "w.askance").features
    assert features.scales.rows == 1000
    assert features.kinds == {"x": "number", "y": "number", "note": "string"}
    assert features.text == {"note"}


def test_a_pool_that_was_reordered_is_refused_unless_it_has_ids(pool, tmp_path, model):
    numbered = plan(reading=Reading(bits=8, ignore=("doc",)))
    with_ids = tmp_path / "ids.askance"
    tell_pool(model, answers(ask_pool(pool, model, numbered).questions))
    tell_pool(with_ids, answers(ask_pool(pool, with_ids, plan()).questions))
    # The same files, by other names.
    spelled = [f"{tmp_path}/./pool-b.csv", tmp_path / "pool-a.csv", tmp_path / "pool-b.csv"]
    second = ask_pool(spelled, model)
    tell_pool(model, answers(second.questions))
    (tmp_path / "pool-a.csv").rename(tmp_path / "pool-c.csv")
    with pytest.raises(InvalidParameter, match="had other files, or the same in another order"):
        ask_pool(pool, model)
    assert ask_pool(pool, with_ids).number == 2
    # A model file of before there was a digest.
    live = ActiveLearner.load(model)
    del live.pool["digest"], live.pool["format"]
    live.save(model)
    assert ask_pool(pool, model).number == 3


def test_a_format_that_no_name_tells_is_kept(pool, tmp_path, model):
    for part in "ab":
        (tmp_path / f"pool-{part}.csv").rename(tmp_path / f"pool-{part}.data")
    chosen = plan(reading=Reading(id="doc", bits=8, format="csv"))
    found = ask_pool(tmp_path / "*.data", model, chosen)
    tell_pool(model, answers(found.questions))
    assert ask_pool(tmp_path / "*.data", model).number == 2


def test_what_can_be_read_only_once_is_no_pool(tmp_path, model):
    os.mkfifo(tmp_path / "pipe.csv")
    for source in ("-", tmp_path / "pipe.csv"):
        with pytest.raises(FileUnreadable, match="can be read only once, and each round"):
            ask_pool(source, model, plan())
    with pytest.raises(FileUnreadable, match="can be read only once, and several workers"):
        list(predict_pool(ActiveLearner("passive", n_features=2), "-", Workers(2)))


def test_how_far_a_round_is_can_be_told(pool, model):
    said = []
    ask_pool(pool, model, plan(), report=lambda rows, total: said.append((rows, total)))
    assert said == [(ROWS // 2, ROWS), (ROWS, ROWS)]
