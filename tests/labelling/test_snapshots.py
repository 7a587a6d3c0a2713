from askance.labelling.journal import Given
from askance.labelling.settings import Settings
from askance.labelling.snapshots import Snapshots


def answers(count, start=0):
    return [Given(i, str(i), "yes", 1.0, f"{start + i:04x}") for i in range(count)]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_one_is_taken_every_so_often_and_two_are_kept(tmp_path):
    snapshots = Snapshots(tmp_path, every=3)
    learner = Settings(algorithm="passive").learner()
    for count in range(1, 12):
        snapshots.offer(learner, answers(count))
    assert names(tmp_path) == ["snapshot-6-0005.askance", "snapshot-9-0008.askance"]
    assert snapshots.latest(answers(11))[1] == 9
    assert snapshots.latest(answers(8))[1] == 6
    assert snapshots.latest(answers(5)) is None


def test_one_of_other_answers_is_not_used_and_goes(tmp_path):
    snapshots = Snapshots(tmp_path, every=3)
    learner = Settings(algorithm="passive").learner()
    snapshots.offer(learner, answers(3))
    other = answers(3, start=64)
    assert snapshots.latest(other) is None
    snapshots.offer(learner, other)
    assert names(tmp_path) == ["snapshot-3-0042.askance"]


def test_a_damaged_one_is_passed_over(tmp_path):
    snapshots = Snapshots(tmp_path, every=3)
    learner = Settings(algorithm="passive").learner()
    for count in (3, 6):
        snapshots.offer(learner, answers(count))
    (tmp_path / "snapshot-6-0005.askance").write_bytes(b"torn")
    assert snapshots.latest(answers(7))[1] == 3
