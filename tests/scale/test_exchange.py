import csv
import datetime
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from askance.errors import BadRecord, InvalidParameter
from askance.scale import PoolQuestion
from askance.scale.exchange import check_questions_path, read_answers, write_questions

QUESTIONS = [
    PoolQuestion("=1+1", 1, 0.25, {"text": "@home", "label": "old", "size": 3.0}),
    PoolQuestion("b", 2, 0.5, {"text": None, "label": None, "size": 4.5}),
]


def test_a_table_has_a_column_to_fill_in_and_no_formula(tmp_path):
    path = tmp_path / "q.csv"
    write_questions(path, QUESTIONS)
    first, second = csv.DictReader(path.read_text().splitlines())
    assert first == {
        "id": "'=1+1",
        "label": "",
        "probability": "0.25",
        "round": "1",
        "text": "'@home",
        "_label": "old",
        "size": "3",
    }
    assert second["text"] == ""
    write_questions(path, QUESTIONS, raw=True)
    assert next(csv.DictReader(path.read_text().splitlines()))["id"] == "=1+1"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_what_was_filled_in_is_read_back(tmp_path, suffix):
    path = tmp_path / f"q.{suffix}"
    write_questions(path, QUESTIONS)
    assert read_answers(path) == []
    answers = tmp_path / "a.csv"
    answers.write_text("label,doc\nspam,b\n,c\n1,007\n")
    assert read_answers(answers, id="doc") == [("b", "spam"), ("007", "1")]


def test_other_columns_of_answers_are_left_alone(tmp_path):
    """They may change from numbers to text, or hold what no feature is made of."""
    path = tmp_path / "a.csv"
    path.write_text("id,label,zip\n1,spam,123\n2,ham,AB1\n")
    assert read_answers(path) == [("1", "spam"), ("2", "ham")]
    at = [datetime.datetime(2020, 1, 1)] * 2
    pq.write_table(pa.table({"at": at, "id": [1, 2], "label": [1.0, None]}), tmp_path / "a.pq")
    assert read_answers(tmp_path / "a.pq") == [("1", "1")]
    (tmp_path / "a.jsonl").write_text('{"id": 1, "label": true}\n{"id": 2, "zip": 3}\n')
    assert read_answers(tmp_path / "a.jsonl") == [("1", "true")]


def test_only_an_empty_cell_is_no_answer(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,label\n1,NA\n2,null\n3,\n4, \n5,nan\nNA,spam\n,ham\n")
    found = [("1", "NA"), ("2", "null"), ("5", "nan"), ("NA", "spam"), ("", "ham")]
    assert read_answers(path) == found


def test_an_answer_without_an_id_is_refused(tmp_path):
    answers = pa.table({"id": ["a", None, None], "label": ["spam", None, "ham"]})
    pq.write_table(answers, tmp_path / "a.parquet")
    with pytest.raises(BadRecord, match=r"row 3 of .*a.parquet has the label 'ham' and no 'id'"):
        read_answers(tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text('{"id": "a", "label": 1}\n{"label": 0}\n')
    with pytest.raises(BadRecord, match=r"row 2 of .*a.jsonl has the label '0' and no 'id'"):
        read_answers(tmp_path / "a.jsonl")
    with pytest.raises(InvalidParameter, match="JSON lines, got libsvm"):
        read_answers(tmp_path / "a.libsvm")


def export(*labels, id="=1+1", cancelled=False):
    """A task as Label Studio exports it."""
    annotations = [
        {
            "result": [{"type": "choices", "from_name": "c", "value": {"choices": [label]}}],
            "was_cancelled": cancelled,
        }
        for label in labels
    ]
    return {"id": 9, "data": {"text": "@home"}, "meta": {"id": id}, "annotations": annotations}


def test_tasks_of_label_studio_carry_id_and_probability_and_bring_choices_back(tmp_path):
    path = tmp_path / "q.json"
    write_questions(path, QUESTIONS)
    tasks = json.loads(path.read_text())
    assert tasks[0]["data"] == QUESTIONS[0].fields
    assert tasks[0]["meta"] == {"id": "=1+1", "probability": 0.25, "round": 1}
    assert read_answers(path) == []
    tasks = [export("spam"), export("ham", "ham", id="b"), export("no", cancelled=True)]
    path.write_text(json.dumps(tasks))
    assert read_answers(path) == [("=1+1", "spam"), ("b", "ham")]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "is not JSON"),
        ("{}", "must hold a list of tasks, got dict"),
        ("[3]", "task 1 of .* must have meta"),
        (json.dumps([{"annotations": []}]), "task 1 of .* must have meta"),
        (json.dumps([export("a"), export("a", "b")]), "task 2 of .* answered 'a' and 'b'"),
    ],
)
def test_a_file_that_is_no_export_is_refused(tmp_path, text, reason):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(BadRecord, match=reason):
        read_answers(path)


def test_a_table_without_labels_is_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,a\n")
    with pytest.raises(BadRecord, match="no label column 'label'"):
        read_answers(path)
    with pytest.raises(InvalidParameter, match=r"or \.json"):
        check_questions_path("q.xls")
