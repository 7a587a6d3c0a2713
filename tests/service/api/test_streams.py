"""The API from end to end, over HTTP."""

import pytest
from tests.service.conftest import made_records, truth
from tests.service.serving import client, served

from askance.live import ActiveLearner
from askance.service.api.streams import file_name

SHAPE = {"name": "mail", "classes": ["ham", "spam"], "learner": "iwal1", "bits": 6}


@pytest.fixture
def admin(service):
    with served(service) as address, client(address, service, "admin") as admin:
        yield admin


@pytest.fixture
def stream(admin):
    return admin.post("/streams", json=SHAPE).json()["id"]


def examples(count, **options):
    return {
        "examples": [{"id": id, "record": record} for id, record in made_records(count, **options)]
    }


def test_a_stream_from_its_creation_to_its_model(admin, stream, tmp_path):
    offered = admin.post(f"/streams/{stream}/examples", json=examples(60)).json()
    assert offered[0] == {
        "id": "0",
        "number": 0,
        "wanted": True,
        "reason": None,
        "probability": 1.0,
        "predicted": "ham",
        "new": True,
    }
    while questions := admin.post(f"/streams/{stream}/questions").json()["questions"]:
        for question in questions:
            number, label = question["number"], truth(question["record"])
            answer = {"number": number, "label": label, "id": f"a{number}"}
            receipt = admin.post(f"/streams/{stream}/answers", json=answer)
            assert receipt.status_code == 200
            assert receipt.json()["counts"]
    status = admin.get(f"/streams/{stream}").json()
    assert status["answered"] == status["asked"] > 20
    assert status["error"]["low"] <= status["error"]["estimate"] <= status["error"]["high"]
    assert status["reason"].startswith("Nothing new has come in")
    assert admin.get("/streams").json() == [status]
    assert len(admin.get(f"/streams/{stream}/chart").json()) == status["answered"]
    fresh = [record for _, record in made_records(20, seed=5)]
    predicted = admin.post(f"/streams/{stream}/predictions", json={"records": fresh}).json()
    path = tmp_path / "model.askance"
    path.write_bytes(admin.get(f"/streams/{stream}/model").content)
    loaded = ActiveLearner.load(path)
    assert [loaded.classes[loaded.predict(r) > 0] for r in fresh] == [p["label"] for p in predicted]
    table = admin.get(f"/streams/{stream}/labels")
    assert len(table.text.splitlines()) == status["answered"] + 1
    assert table.headers["content-disposition"] == 'attachment; filename="mail.csv"'
    parquet = admin.get(f"/streams/{stream}/labels", params={"format": "parquet"}).content
    assert parquet[:4] == b"PAR1"


def test_states(admin, stream):
    assert admin.put(f"/streams/{stream}/state", json={"state": "paused"}).status_code == 204
    assert admin.get(f"/streams/{stream}").json()["state"] == "paused"
    assert admin.put(f"/streams/{stream}/state", json={"state": "asleep"}).status_code == 422
    assert admin.put(f"/streams/{stream}/state", json={"state": "running"}).status_code == 204
    assert admin.get(f"/streams/{stream}/agreement").json() == {
        "questions": 0,
        "fleiss": None,
        "pairs": [],
    }


def test_what_cannot_work_is_a_problem(admin):
    for change in ({"classes": ["one"]}, {"learner": "magic"}, {"surprise": 1}, {"rate": 0.5}):
        refused = admin.post("/streams", json=SHAPE | change)
        assert refused.status_code == 422
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["title"] == "Unprocessable Entity"
        assert refused.json()["detail"]


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Mail, in and out", "Mail-in-and-out"),
        ("../../etc/passwd", "etc-passwd"),
        ('a"; filename="b.exe\r\n', "a-filename-b-exe"),
        ("日本", "id"),
        ("x" * 200, "x" * 80),
    ],
)
def test_files_are_called_by_the_name_of_their_stream(name, called):
    assert file_name(name, "id") == called
