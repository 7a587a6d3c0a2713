from tests.service.conftest import answer_all, made_records, settings

from askance.service.running import opened_service


def test_what_is_closed_can_be_opened_again(url):
    with opened_service(url) as service:
        stream = service.session.create(settings())
        service.session.offer(stream, made_records(10))
        answer_all(service.session, stream, most=4)
        people = service.people.add("ann", "admin")
    with opened_service(url) as service:
        assert service.session.streams() == [stream]
        assert service.session.status(stream).answered == 4
        assert service.people.accounts() == [people]
