from tests.service.api.test_streams import admin, examples, stream

__all__ = ["admin", "stream"]


def test_history_undo_and_change(admin, stream):
    admin.post(f"/streams/{stream}/examples", json=examples(5))
    for number in range(3):
        answer = {"number": number, "label": "ham", "id": f"a{number}"}
        admin.post(f"/streams/{stream}/answers", json=answer)
    assert admin.post(f"/streams/{stream}/undo").json()["number"] == 2
    history = admin.get(f"/streams/{stream}/history").json()
    assert [entry["number"] for entry in history] == [1, 0]
    position = history[1]["position"]
    change = {"number": 0, "label": "spam"}
    assert admin.put(f"/streams/{stream}/answers/{position}", json=change).status_code == 200
    assert (
        admin.get(f"/streams/{stream}/history", params={"everybody": True}).json()[1]["outcome"]
        == "spam"
    )
    assert admin.put(f"/streams/{stream}/answers/999", json=change).status_code == 409


def test_leases_and_reasons(admin, stream):
    admin.post(f"/streams/{stream}/examples", json=examples(1))
    got = admin.post(f"/streams/{stream}/questions").json()
    assert (got["questions"][0]["number"], got["reason"]) == (0, None)
    assert admin.post(f"/streams/{stream}/questions/heartbeat", json=[0, 7]).json() == [0]
    assert admin.delete(f"/streams/{stream}/questions/0").status_code == 204
    assert admin.delete(f"/streams/{stream}/questions/5").status_code == 404
    got = admin.post(f"/streams/{stream}/questions").json()
    assert got["questions"] == []
    assert got["reason"].startswith("Nothing new has come in")
    assert admin.get(f"/streams/{stream}/ties").json() == []
