import httpx
from tests.service.serving import served


def test_it_serves_and_stops(service):
    with served(service) as address:
        assert httpx.get(f"{address}/api/v1/openapi.json").json()["info"]["title"] == "askance"
