import csv

import numpy as np
import pytest

from askance.data.reading.intake import Intake, Reading
from askance.errors import BadRecord
from askance.rehearsal.held import Held, coin_seed, giveaways, hold
from askance.sparse import from_dense


def test_only_labelled_records_are_held_each_under_its_number(mail, intake_of):
    held = hold(intake_of(mail))
    with mail.open() as file:
        expected = [record for record in csv.DictReader(file) if record["spam"]]
    assert len(held) == len(expected) < 400
    assert held.unlabelled == 400 - len(expected)
    assert held.labels.tolist() == [1 if record["spam"] == "yes" else -1 for record in expected]
    found = held.records([7, 0, len(held) - 1])
    assert {i: record.id for i, record in found.items()} == {
        i: expected[i]["id"] for i in (7, 0, len(held) - 1)
    }
    assert found[7].fields["subject"] == expected[7]["subject"]


def test_a_fifth_is_held_out_and_every_permutation_is_another(mail, intake_of):
    held = hold(intake_of(mail))
    train, test = held.split(3)
    assert sorted([*train.tolist(), *test.tolist()]) == list(range(len(held)))
    assert len(train) == len(held) * 4 // 5
    assert held.split(3).train.tolist() == train.tolist()
    assert held.split(3, 1).train.tolist() != train.tolist()
    assert held.split(4).train.tolist() != train.tolist()
    assert coin_seed(3) != coin_seed(4)


def test_a_narrow_one_has_the_same_rows_in_fewer_columns(mail, intake_of):
    held = hold(intake_of(mail))
    narrow = held.narrow()
    assert narrow.n_features == len(np.unique(held.csr.indices)) < held.n_features
    assert narrow.csr.indptr.tolist() == held.csr.indptr.tolist()
    assert narrow.csr.data.tolist() == held.csr.data.tolist()
    pairs = set(zip(held.csr.indices.tolist(), narrow.csr.indices.tolist(), strict=True))
    assert [b for _, b in sorted(pairs)] == list(range(narrow.n_features))


@pytest.mark.parametrize(
    ("labels", "part"),
    [
        (["", "", ""], "no record with a label"),
        (["yes", "yes", "", "yes"], "all 3 labels of .* are 'yes', two classes"),
        (["0", "0", "0", "0", "0", "0"], "all 6 labels of .* are '0'"),
        (["yes", "no"], "2 labelled records, five or more"),
    ],
)
def test_labels_that_teach_nothing_are_refused(tmp_path, labels, part):
    path = tmp_path / "some.csv"
    path.write_text("\n".join(["x,y", *(f"{i},{y}" for i, y in enumerate(labels))]) + "\n")
    with pytest.raises(BadRecord, match=part):
        hold(Intake(path, Reading(label="y")))


def test_a_feature_tells_every_label_if_the_classes_do_not_touch():
    labels = np.repeat(np.array([-1, 1], np.int8), 15)
    ranks = np.arange(-15.0, 15.0)
    touching = np.where(labels > 0, ranks, np.minimum(ranks, -1.0) + 1.0)
    X = from_dense(np.column_stack([ranks, -ranks, touching, labels == 1, np.ones(30)]))
    assert giveaways(Held(X, labels, 0, ())) == [0, 1, 3]
    # Among a few labels it may be chance.
    some = np.r_[6:30]
    assert giveaways(Held(X[some], labels[some], 0, ())) == []
