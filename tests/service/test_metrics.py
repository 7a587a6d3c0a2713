from tests.service.conftest import answer_all, made_records, settings

from askance.service.metrics import Metrics


def test_streams_are_told_of(session):
    stream = session.create(settings())
    session.offer(stream, made_records(5))
    answer_all(session, stream, most=2)
    text = Metrics(lambda: [session.status(stream)]).text().decode()
    assert f'askance_stream_seen{{stream="{stream}"}} 5.0' in text
    assert f'askance_stream_answered{{stream="{stream}"}} 2.0' in text
    assert f'askance_stream_error_high{{stream="{stream}"}}' in text
