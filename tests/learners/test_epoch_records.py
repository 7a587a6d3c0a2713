from dataclasses import asdict

from askance.learners.epoch_records import EpochRecord, EpochTally
from askance.types import Decision


def tally() -> EpochTally:
    found = EpochTally()
    found.add([Decision(1, True, p, p > 0.3, 0, 0.5, 0.1) for p in (0.2, 0.4)])
    found.add([Decision(-1, False, 0.0, False, 2, 0.5, 0.1)] * 2)
    return found


def test_a_record_by_hand() -> None:
    record = tally().record(epoch=2, start=3, end=7, error=0.25)
    assert (record.region_share, record.queries) == (0.5, 1)
    assert [round(q, 9) for q in record.probability_quantiles] == [0.2, 0.25, 0.3, 0.35, 0.4]
    assert (record.error, record.threshold, record.floor) == (0.25, 0.5, 0.1)


def test_an_empty_region_has_no_quantiles() -> None:
    found = EpochTally()
    found.add([Decision(-1, False, 0.0, False, 2, 0.5, 0.1)])
    assert found.record(1, 0, 1, 0.0).probability_quantiles == ()


def test_saving_and_loading() -> None:
    other = EpochTally()
    other.set_state(tally().get_state())
    record = other.record(2, 3, 7, 0.25)
    assert record == tally().record(2, 3, 7, 0.25)
    assert EpochRecord.from_state(asdict(record)) == record
