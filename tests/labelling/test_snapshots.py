import random

import pytest

from askance import ActiveLearner
from askance.labelling.journal import GivenAnswer
from askance.labelling.settings import Settings
from askance.labelling.snapshots import Snapshots


def answers(count, start=0):
    return [GivenAnswer(i, str(i), "yes", 1.0, f"{start + i:04x}") for i in range(count)]


def taught(count):
    """A learner that has taken in so many answers."""
    learner = Settings(algorithm="passive").learner()
    for _ in range(count):
        learner.tell(learner.ask({"size": 1.0}), 1)
    return learner


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_one_is_taken_every_so_often_and_two_are_kept(tmp_path):
    snapshots = Snapshots(tmp_path, every=3)
    for count in range(1, 12):
        snapshots.offer(taught(count), answers(count))
    assert names(tmp_path) == ["snapshot-6-0005.askance", "snapshot-9-0008.askance"]
    assert snapshots.latest(answers(11))[1] == 9
    assert snapshots.latest(answers(8))[1] == 6
    assert snapshots.latest(answers(5)) is None


def test_one_of_other_answers_is_not_used_and_goes(tmp_path):
    snapshots = Snapshots(tmp_path, every=3)
    snapshots.offer(taught(3), answers(3))
    other = answers(3, start=64)
    assert snapshots.latest(other) is None
    snapshots.offer(taught(3), other)
    assert names(tmp_path) == ["snapshot-3-0042.askance"]


def foreign(path):
    ActiveLearner("passive", n_features=3).save(path)


DAMAGE = {
    "torn": lambda path: path.write_bytes(b"torn"),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "of a learner without a map": foreign,
    "of fewer answers": lambda path: taught(5).save(path),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_one_is_skipped_with_a_line_in_the_log(tmp_path, caplog, damage):
    snapshots = Snapshots(tmp_path, every=3)
    for count in (3, 6):
        snapshots.offer(taught(count), answers(count))
    damage(tmp_path / "snapshot-6-0005.askance")
    assert snapshots.latest(answers(7))[1] == 3
    assert len(caplog.messages) == 1
    assert "skipped a damaged snapshot, snapshot-6-0005.askance" in caplog.messages[0]


@pytest.mark.parametrize("seed", range(4))
def test_no_single_damaged_byte_blocks_anything(tmp_path, seed):
    snapshots = Snapshots(tmp_path, every=3)
    snapshots.offer(taught(3), answers(3))
    path = tmp_path / "snapshot-3-0002.askance"
    whole, draw = path.read_bytes(), random.Random(seed)
    read = 0
    for place in draw.sample(range(len(whole)), 60):
        broken = bytearray(whole)
        broken[place] ^= 1 << draw.randrange(8)
        path.write_bytes(broken)
        found = snapshots.latest(answers(3))
        assert found is None or found[1] == 3
        read += found is not None
    # Zip padding and dates are checked by nobody: not every flipped bit is a damage.
    assert 0 < read < 60
