"""One tenant with a valid key: costly questions, streams, uploads and dry runs, beside another tenant."""

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.hostile.harness.attacks import Hammer, Hold, attacking
from tests.hostile.harness.content import combining, hostile_unicode, pdf
from tests.hostile.harness.installation import Installation
from tests.hostile.harness.neighbour import Beside
from tests.support.http_client import Call, Target, get, post, send
from tests.support.service import hand_in

pytestmark = [pytest.mark.slow, pytest.mark.soak]


def waiting_job(installation: Installation, target: Target) -> str:
    """A job of the target that stands in the queue for an hour."""
    taken = hand_in(target, f"Ada Number{time.monotonic_ns()} wrote a letter.")
    assert taken.status == 202, taken.raw
    job = taken.body["job"]["id"]
    (made,) = installation.rows(
        "INSERT INTO job (knowledge_space_id, id, tenant_id, kind, arguments, run_after)"
        " SELECT knowledge_space_id, gen_random_uuid(), tenant_id, kind, arguments, now() + interval '1 hour'"
        " FROM job WHERE id = %s::uuid RETURNING id::text",
        job,
    )
    return str(made[0])


def events(target: Target, job: str) -> bytes:
    path = f"{target.space}/jobs/{job}/events"
    return f"GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {target.key}\r\n\r\n".encode()


def test_combining_marks_in_a_query(installation: Installation, beside: Beside) -> None:
    """120 kB of them froze the service for 17.8 seconds."""
    _, reader = installation.key_of_attacker("read")
    marks = combining(120_000)
    space = reader.space
    calls = [
        Call.json("POST", f"{space}/graph/explain", {"question": marks}),
        Call.json("POST", f"{space}/graph/explain", {"from": marks, "to": "a" + marks}),
        Call.json("POST", f"{space}/retrieve", {"query": marks}),
        Call.json("POST", f"{space}/ask", {"question": marks}),
        Call.json("POST", f"{space}/ask", {"question": "a", "history": [{"speaker": "user", "text": marks}]}),
        Call.json("POST", f"{space}/graph/explain", {"question": "a", "filters": {"node_types": [marks]}}),
        Call.json("POST", f"{space}/graph/explain", {marks: "a"}),
    ]
    with beside(), attacking(Hammer(reader, calls, threads=4, seconds=5)) as outcomes:
        pass
    outcomes[0].check()
    assert set(outcomes[0].seen) <= {"422", "429", "503"}, outcomes[0]
    assert outcomes[0].slowest < 3, outcomes[0]


def test_combining_marks_wherever_a_writer_may_put_text(installation: Installation, beside: Beside) -> None:
    """Names, addresses, metadata, file names, search words: whatever is made one form before its length is
    known.
    """
    target, marks = installation.attacker, combining(120_000)
    calls = [
        Call.json("POST", f"{target.space}/documents", {"text": "a", "title": marks}),
        Call.json("POST", f"{target.space}/documents", {"text": "a", "source_uri": marks}),
        Call.json("POST", f"{target.space}/documents", {"text": "a", "metadata": {"k": marks}}),
        Call.json("POST", f"{target.space}/documents", {"text": "a", "metadata": {marks: 1}}),
        Call.form(f"{target.space}/documents", (marks[:4_000], "text/plain", b"a"), title=marks),
        Call.json("POST", "/v1/spaces", {"name": marks}),
        Call.json("PATCH", target.space, {"description": marks}),
        Call.json("PATCH", target.space, {"settings": {"single_valued_relations": [marks]}}),
        Call.json("POST", "/v1/api-keys", {"name": marks, "scopes": ["read"]}),
        Call.json("POST", f"{target.space}/embedding", {"model": marks}),
    ]
    with beside(), attacking(Hammer(target, calls, threads=4, seconds=5)) as outcomes:
        pass
    outcomes[0].check()
    assert set(outcomes[0].seen) <= {"400", "422", "429", "503"}, outcomes[0]


def test_1480_event_streams_with_one_read_key(installation: Installation, beside: Beside) -> None:
    """Each stream asked the database every second by a common thread: others waited 30 seconds."""
    _, reader = installation.key_of_attacker("read")
    hold = Hold(reader, events(reader, waiting_job(installation, installation.attacker)), 740, seconds=8)
    with beside(), attacking(hold, hold) as outcomes:
        pass
    for outcome in outcomes:
        outcome.check()
    assert sum(outcome.held for outcome in outcomes) < 400, outcomes


def test_event_streams_that_are_opened_and_dropped(installation: Installation, beside: Beside) -> None:
    """A storm of reconnections: each stream is dropped as soon as it answers."""
    opening = events(installation.attacker, waiting_job(installation, installation.attacker))
    storm = Hold(installation.attacker, opening, 30, seconds=0.3)
    with beside():
        for _ in range(6):
            with attacking(storm, storm) as outcomes:
                pass
            for outcome in outcomes:
                outcome.check()


def test_a_revoked_key_s_stream_ends_within_seconds(installation: Installation) -> None:
    key_id, reader = installation.key_of_attacker("read")
    job = waiting_job(installation, installation.attacker)
    ended: list[float] = []

    def watch() -> None:
        send(reader, Call("GET", f"{reader.space}/jobs/{job}/events"), timeout=30)
        ended.append(time.monotonic())

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    time.sleep(2)
    revoked = time.monotonic()
    assert send(installation.attacker, Call("DELETE", f"/v1/api-keys/{key_id}")).status == 204
    watching.join(25)
    assert ended, "the stream goes on"
    assert ended[0] - revoked < 12
    time.sleep(max(0.0, 6 - (time.monotonic() - revoked)))
    assert get(reader, f"{reader.space}/documents").status == 401


def test_dry_runs_of_pdfs_in_parallel(installation: Installation, beside: Beside) -> None:
    """Each parsed a PDF with a connection and a common thread in its hand."""
    target = installation.attacker
    content = pdf(120, "Ada Lovelace wrote the first program for the engine", 60)
    call = Call.form(f"{target.space}/documents?dry_run=true", ("a.pdf", "application/pdf", content))
    with beside(), attacking(Hammer(target, [call], threads=40, seconds=5)) as outcomes:
        pass
    outcomes[0].check()


def test_uploads_of_25_megabytes(installation: Installation, beside: Beside) -> None:
    """Bytes are counted, kept and written without anybody else waiting."""
    target = installation.attacker
    body = b"Ada Lovelace wrote a letter.\n" * 850_000
    calls = [
        Call.form(f"{target.space}/documents?dry_run=true", (f"{n}.txt", "text/plain", body + b"%d" % n))
        for n in range(3)
    ]
    calls.append(
        Call.form(f"{target.space}/documents", *[(f"{n}.txt", "text/plain", b"a") for n in range(5_000)])
    )
    calls.append(
        Call.form(f"{target.space}/documents", *[(f"{n}.txt", "text/plain", b"") for n in range(90)])
    )
    with beside(), attacking(Hammer(target, calls, threads=6, seconds=5)) as outcomes:
        pass
    outcomes[0].check()


def test_sixty_costly_questions_at_once(installation: Installation, beside: Beside) -> None:
    """A tenant's share of threads, connections and turns ends before the others' begins."""
    space = installation.attacker.space
    words = "Ada Lovelace PostgreSQL Ingres PostGIS Stonebraker program database created depends"
    calls = [
        Call.json("POST", f"{space}/{path}", {name: f"{words} {number} {hostile_unicode(600)}"[:240]})
        for number in range(40)
        for path, name in (("retrieve", "query"), ("ask", "question"), ("graph/explain", "question"))
    ]
    with beside(), attacking(Hammer(installation.attacker, calls, threads=60, seconds=6)) as outcomes:
        pass
    outcomes[0].check()


def test_the_same_content_handed_in_again_and_again(installation: Installation, beside: Beside) -> None:
    """Re-uploads, cancels and retries lock the same rows: theirs alone."""
    target = installation.attacker
    job = hand_in(target, "Grace Hopper wrote a compiler.").body["job"]["id"]
    calls = [
        Call.json("POST", f"{target.space}/documents", {"text": "Grace Hopper wrote a compiler."}),
        Call("POST", f"{target.space}/jobs/{job}/cancel"),
        Call("POST", f"{target.space}/jobs/{job}/retry"),
        Call.json("PATCH", target.space, {"description": "again"}),
        Call.json("POST", f"{target.space}/documents", {"text": "New text.", "source_uri": "notes/same.txt"}),
        Call.json(
            "POST", f"{target.space}/documents", {"text": "Other text.", "source_uri": "notes/same.txt"}
        ),
        Call("POST", f"{target.space}/graph/communities/detect"),
        Call("POST", f"{target.space}/graph/summaries/refresh"),
    ]
    with beside(), attacking(Hammer(target, calls, threads=16, seconds=5)) as outcomes:
        pass
    outcomes[0].check()


def test_spaces_and_keys_made_without_end(installation: Installation, beside: Beside) -> None:
    target = installation.fresh_attacker("maker of spaces")
    calls = [Call.json("POST", "/v1/spaces", {"name": f"space {n}"}) for n in range(2_000)]
    keys = [Call.json("POST", "/v1/api-keys", {"name": f"k{n}", "scopes": ["read"]}) for n in range(2_000)]
    with beside(), attacking(Hammer(target, calls, 4, 6), Hammer(target, keys, 4, 6)) as outcomes:
        pass
    for outcome in outcomes:
        outcome.check()


def test_a_tenant_who_makes_the_service_forget_keys(installation: Installation, beside: Beside) -> None:
    """Ending a key has all remembered ones looked up again: whoever does it without end is one tenant."""
    calls = [Call("DELETE", f"/v1/api-keys/{installation.attacker.space_id}")]
    with beside(), attacking(Hammer(installation.attacker, calls, threads=40, seconds=5)) as outcomes:
        pass
    outcomes[0].check()


def test_an_admin_key_mints_nothing_that_it_does_not_have(installation: Installation) -> None:
    """Neither a scope, nor a space, nor a later end."""
    _, admin = installation.key_of_attacker("admin")
    for scopes in (["write"], ["read", "admin"], ["read", "write", "admin"]):
        refused = post(admin, "/v1/api-keys", {"name": "more", "scopes": scopes})
        assert refused.status == 403, refused.raw
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    late = (datetime.now(UTC) + timedelta(hours=2)).isoformat()
    body = {"name": "short", "scopes": ["admin", "read"], "expires_at": soon}
    short = post(installation.attacker, "/v1/api-keys", body)
    assert short.status == 201, short.raw
    bearer = replace(installation.attacker, key=short.body["token"])
    refused = post(bearer, "/v1/api-keys", {"name": "long", "scopes": ["read"], "expires_at": late})
    assert refused.status in (403, 422), refused.raw
    for until in ({}, {"expires_at": None}):
        made = post(bearer, "/v1/api-keys", {"name": "as long", "scopes": ["read"], **until})
        assert datetime.fromisoformat(made.body["expires_at"]) <= datetime.fromisoformat(soon)


def test_unknown_query_parameters_are_refused_like_unknown_fields(installation: Installation) -> None:
    target = installation.attacker
    for path in ("/documents", "/graph/nodes", "/graph/edges", "/jobs", "/eviction", ""):
        reply = get(target, f"{target.space}{path}?tenant_id=1&limits=7")
        assert reply.status == 422, (path, reply.raw)
        assert reply.body["code"] == "unknown_parameter", reply.raw


def test_a_change_of_one_setting_leaves_the_others(installation: Installation) -> None:
    """A budget vanished by a change of something else."""
    target = installation.fresh_attacker("settings")
    path = target.space
    given = {"budget_usd": 5.0, "max_facts": 77}
    first = send(target, Call.json("PATCH", path, {"settings": given}))
    assert first.status == 200, first.raw
    second = send(target, Call.json("PATCH", path, {"settings": {"fan_out": 3}}))
    kept = second.body["settings"]
    assert (kept["budget_usd"], kept["max_facts"], kept["fan_out"]) == (5.0, 77, 3)
    third = send(target, Call.json("PATCH", path, {"settings": {"max_facts": None}}))
    assert third.body["settings"].get("max_facts") is None
    assert third.body["settings"]["budget_usd"] == 5.0


def test_one_bad_file_is_named_and_takes_nobody_with_it(installation: Installation) -> None:
    target = installation.attacker
    call = Call.form(
        f"{target.space}/documents",
        ("good.txt", "text/plain", b"Ada Lovelace knew Charles Babbage."),
        ("bad.bin", "application/octet-stream", bytes(range(256)) * 20),
        ("also-good.txt", "text/plain", b"Charles Babbage designed an engine."),
    )
    reply = send(target, call)
    assert reply.status == 202, reply.raw
    assert [document["title"] for document in reply.body["documents"]] == ["good", "also-good"] or len(
        reply.body["documents"]
    ) == 2, reply.raw
    assert b"bad.bin" in reply.raw


def test_nothing_that_was_sent_comes_back_in_a_refusal(installation: Installation) -> None:
    target, secret = installation.attacker, "cg_live_SECRETSECRET_of_mine"
    calls = [
        Call.json("POST", f"{target.space}/graph/explain", {"question": [secret]}),
        Call.json("POST", f"{target.space}/graph/explain", {secret: secret}),
        Call.json("POST", f"{target.space}/retrieve", {"query": "a", "strategy": secret}),
        Call.json("POST", f"{target.space}/retrieve", {"query": "a", "top_k": secret}),
        Call.json("POST", "/v1/api-keys", {"name": "a", "scopes": [secret]}),
        Call.json("POST", "/v1/api-keys", {"name": "a", "scopes": ["read"], "expires_at": secret}),
        Call.json("PATCH", target.space, {"settings": {secret: 1}}),
        Call.json("PATCH", target.space, {"settings": {"eviction": secret}}),
        Call.json("PATCH", target.space, {"settings": {"node_attributes": {"Person": {"a": secret}}}}),
        Call("GET", f"{target.space}/documents?state={secret}"),
        Call("GET", f"{target.space}/documents?cursor={secret}"),
        Call("GET", f"{target.space}/documents?{secret}={secret}"),
        Call("GET", f"{target.space}/documents/{secret}"),
        Call("GET", f"/v1/{secret}"),
        Call(
            "POST", f"{target.space}/documents", b"{" + secret.encode(), {"content-type": "application/json"}
        ),
        Call("POST", f"{target.space}/documents", b"{}", {"content-type": f"application/{secret}"}),
        Call.form(f"{target.space}/documents", (secret, "text/plain", b"a"), **{secret: secret}),
        Call.form(f"{target.space}/documents", ("a", f"text/{secret}", b"a"), format=secret),
        Call.json("POST", f"{target.space}/documents", {"text": "a", "format": secret}),
        Call.json("POST", f"{target.space}/documents", {"text": "a", "source_kind": secret}),
        Call.json("POST", f"{target.space}/embedding", {"model": secret}),
    ]
    for call in calls:
        reply = send(target, call)
        assert 400 <= reply.status < 500, (call.path, reply.status, reply.raw)
        assert secret.encode() not in reply.raw, (call, reply.raw)
        assert secret not in str(reply.headers), (call, reply.headers)


def test_the_service_lives_after_all_of_it(installation: Installation) -> None:
    assert (
        post(installation.neighbour, f"{installation.neighbour.space}/retrieve", {"query": "Ada"}).status
        == 200
    )
    assert "Traceback" not in installation.log("serve"), installation.log("serve")[-6_000:]
