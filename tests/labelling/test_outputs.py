import csv

import pyarrow.parquet as pq
import pytest

from askance import ActiveLearner
from askance.labelling.outputs import write_outputs
from askance.labelling.session import Session


@pytest.fixture
def session(mail, begun):
    session = Session(begun("a", classes=("ham", "spam")), mail)
    for answer in ("yes", "skip", "no", "yes", "no"):
        session.next()
        session.answer(answer)
    return session


def test_labels_have_names_weights_and_records(session):
    paths = write_outputs(session)
    with paths["labels"].open(newline="") as file:
        rows = list(csv.DictReader(file))
    given = [given for given in session.journal.answers if given.answer != "skip"]
    assert [row["label"] for row in rows] == ["spam", "ham", "spam", "ham"]
    assert [row["id"] for row in rows] == [each.id for each in given]
    for row, each in zip(rows, given, strict=True):
        assert float(row["weight"]) * float(row["probability"]) == pytest.approx(1.0)
        assert float(row["probability"]) == each.probability
    kept = [record for record in session.records if record.id in {each.id for each in given}]
    assert [row["subject"] for row in rows] == [record.fields["subject"] for record in kept]
    assert [float(row["size"]) for row in rows] == [record.fields["size"] for record in kept]


def test_the_sample_is_that_of_the_learner(session):
    paths = write_outputs(session)
    table = pq.read_table(paths["sample"])
    sample = session.learner.weighted_sample()
    assert table["weight"].to_pylist() == pytest.approx(sample.weight.tolist())
    assert table["n"].to_pylist() == [sample.n] * 4
    assert [label == "spam" for label in table["label"].to_pylist()] == (sample.y > 0).tolist()


def test_the_model_knows_its_classes_and_predicts(session):
    model = ActiveLearner.load(write_outputs(session)["model"])
    assert model.classes == ("ham", "spam")
    for record in session.records:
        assert model.predict(record) == session.learner.predict(record)


def test_outputs_are_there_before_the_first_answer(mail, begun):
    paths = write_outputs(Session(begun("a"), mail))
    assert paths["labels"].read_text().startswith("id,label,weight,probability,n")
    assert len(pq.read_table(paths["sample"])) == 0
