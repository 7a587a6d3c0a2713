import gc
import json

from sqlalchemy.exc import OperationalError
from tests.service.api.test_streams import SHAPE, admin, examples, stream

from askance.service.api.shapes import ExampleShape

__all__ = ["admin", "stream"]


def test_json_lines(admin, stream):
    lines = "\n".join(json.dumps(example) for example in examples(5)["examples"]) + "\n\n"
    headers = {"content-type": "application/x-ndjson"}
    sent = admin.post(f"/streams/{stream}/examples/lines", content=lines, headers=headers)
    assert [o["id"] for o in sent.json()] == list("01234")
    broken = admin.post(f"/streams/{stream}/examples/lines", content="{}\n{", headers=headers)
    assert broken.status_code == 422
    assert broken.json()["detail"].startswith("line 1: ")


def test_few_json_lines_are_objects_at_a_time(admin, stream, service, monkeypatch):
    """And yet nothing of them happens if the last one cannot be read."""
    monkeypatch.setattr("askance.service.api.examples.MOST_EXAMPLES", 10)
    offer, alive = service.session.offer, []

    def counted(*arguments):
        alive.append(sum(isinstance(one, ExampleShape) for one in gc.get_objects()))
        return offer(*arguments)

    monkeypatch.setattr(service.session, "offer", counted)
    lines = "\r\n".join(json.dumps(example) for example in examples(45)["examples"])
    headers = {"content-type": "application/x-ndjson"}
    path = f"/streams/{stream}/examples/lines"
    assert admin.post(path, content=f"{lines}\n{{", headers=headers).status_code == 422
    assert admin.get(f"/streams/{stream}").json()["seen"] == 0
    sent = admin.post(path, content=lines, headers=headers)
    assert sent.headers["content-type"] == "application/json"
    assert [(o["id"], o["new"]) for o in sent.json()] == [(str(i), True) for i in range(45)]
    assert len(alive) == 5
    assert max(alive) <= 10
    one_by_one = admin.post(f"/streams/{stream}/examples", json=examples(45)).json()
    assert [o | {"new": True} for o in one_by_one] == sent.json()
    assert admin.post(path, content=b"\n", headers=headers).json() == []


def test_an_example_can_be_erased(admin, stream):
    admin.post(f"/streams/{stream}/examples", json=examples(5))
    assert admin.delete(f"/streams/{stream}/examples/3").status_code == 204
    assert admin.get(f"/streams/{stream}").json()["refused"] == 1
    assert admin.delete(f"/streams/{stream}/examples/99").status_code == 404


def test_an_id_that_cannot_stand_in_a_path_erases_no_other(admin, stream):
    both = [{"id": "a", "record": {"x": 1}}, {"id": "a\n", "record": {"x": 2}}]
    admin.post(f"/streams/{stream}/examples", json={"examples": both})
    refused = admin.delete(f"/streams/{stream}/examples/a%0A")
    assert refused.status_code == 404
    assert refused.json()["detail"].endswith("send it as the parameter id")
    assert admin.get(f"/streams/{stream}").json()["refused"] == 0
    by_parameter = admin.delete(f"/streams/{stream}/examples", params={"id": "a\n"})
    assert by_parameter.status_code == 204
    assert admin.get(f"/streams/{stream}").json()["refused"] == 1


def test_records_that_cannot_be_read(admin, stream):
    admin.post(f"/streams/{stream}/examples", json=examples(5))
    wrong = {"examples": [{"id": "w", "record": {"x": "text"}}]}
    refused = admin.post(f"/streams/{stream}/examples", json=wrong)
    assert refused.status_code == 422
    assert "where a number was expected" in refused.json()["detail"]


def test_other_streams_do_not_know_it(admin, stream):
    other = admin.post("/streams", json=SHAPE).json()["id"]
    admin.post(f"/streams/{stream}/examples", json=examples(5))
    assert admin.delete(f"/streams/{other}/examples/3").status_code == 404


def test_files_are_kept_and_offered_while_people_answer(admin, stream):
    table = "name,x\n" + "".join(f"p{i},{i}\n" for i in range(40))
    kept = admin.post(f"/streams/{stream}/files", params={"id": "name"}, content=table)
    assert kept.json() == {"records": 40}
    assert admin.get(f"/streams/{stream}").json()["seen"] == 0
    question = admin.post(f"/streams/{stream}/questions").json()["questions"][0]
    assert (question["id"], question["record"]) == ("p0", {"x": 0})
    broken = admin.post(f"/streams/{stream}/files", params={"format": "parquet"}, content=b"no")
    assert broken.status_code == 422
    assert broken.json()["detail"].startswith("the file cannot be read as Parquet")


def test_a_file_that_the_disk_did_not_take_can_be_sent_again(admin, stream, service, monkeypatch):
    with monkeypatch.context() as broken:
        full = OperationalError("insert", {}, Exception("the disk is full"))
        broken.setattr(service.session.log, "_failure", lambda jobs: full)
        refused = admin.post(f"/streams/{stream}/files", content="x\n1\n2\n")
    assert refused.status_code == 503
    assert refused.json()["detail"] == "the database did not take it, so it did not happen"
    kept = admin.post(f"/streams/{stream}/files", content="x\n1\n2\n")
    assert kept.json() == {"records": 2}
