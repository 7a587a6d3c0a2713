import httpx
from tests.service.serving import client, served


def test_health_is_for_everybody_and_metrics_for_programs(service):
    with served(service) as address, client(address, service, "annotator") as annotator:
        assert httpx.get(f"{address}/healthz").json() == {"status": "ok"}
        assert httpx.get(f"{address}/metrics").status_code == 401
        headers = dict(annotator.headers)
        assert httpx.get(f"{address}/metrics", headers=headers).status_code == 403
        with client(address, service, "application") as program:
            told = httpx.get(f"{address}/metrics", headers=dict(program.headers))
        assert 'route="/healthz"' in told.text
