from tests.service.serving import client, served


def test_admins_set_webhooks_to_public_addresses(service):
    with served(service) as address, client(address, service, "admin") as admin:
        private = {"url": "http://127.0.0.1:9/", "topics": ["stopped"]}
        refused = admin.post("/webhooks", json=private)
        assert refused.status_code == 422
        assert "private address" in refused.json()["detail"]
        public = {"url": "https://93.184.216.34/hook", "topics": ["stopped"]}
        made = admin.post("/webhooks", json=public).json()
        assert len(made["secret"]) == 43
        (shown,) = admin.get("/webhooks").json()
        assert shown == {**public, "id": made["id"], "stream": None}
        unknown = admin.post("/webhooks", json={**public, "stream": "none"})
        assert unknown.status_code == 404
        assert admin.delete(f"/webhooks/{made['id']}").status_code == 204
        assert admin.delete(f"/webhooks/{made['id']}").status_code == 404
        with client(address, service, "application") as program:
            assert program.post("/webhooks", json=public).status_code == 403
