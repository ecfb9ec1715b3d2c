"""Documents on pages: handed in, found, compared, tried again and deleted; each step says what it does."""

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import pytest

from app.documents import service as documents
from app.documents.shapes import DocumentFilter, Submission
from app.http.bulkheads import Bulkheads
from app.ids import DocumentId
from app.tenancy.accounts.roles import Role
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from tests.api.conftest import World
from tests.dashboard.conftest import BASE, Browser, join
from tests.support.ingest import ingest_now, text

SENTENCE = "Nora Field founded Tallow Works. Nora Field works for Tallow Works."


@pytest.fixture(scope="module")
def editor(world: World) -> Browser:
    """An editor of tenant A."""
    return join(world, "A", f"{uuid4().hex}@a.example", Role.EDITOR)


def place(world: World) -> str:
    return f"/dashboard/spaces/{world.a.space_id}"


def opened(world: World):  # type: ignore[no-untyped-def]
    home = world.a.home
    return world.citegraph.database.open_space(home.tenant_id, home.space_id)


def hand_in(browser: Browser, path: str, *files: tuple[str, bytes], script: bool = True, **fields: str):  # type: ignore[no-untyped-def]
    """The answer to a form with files, as a script or the browser itself sends it."""
    headers = {"origin": BASE, **({"accept": "application/json", "hx-request": "true"} if script else {})}
    return browser.http.post(
        path,
        data={"csrf": browser.csrf, **fields},
        # A field of which nothing was chosen is sent all the same, by a browser.
        files=[("file", (name, raw, "application/octet-stream")) for name, raw in files or (("", b""),)],
        headers=headers,
        follow_redirects=False,
    )


def ingest(world: World, body: str, *, title: str = "Note") -> DocumentId:
    """A document of its own, read to the end."""
    address = f"{uuid4().hex}.txt"
    ingest_now(
        world.citegraph.database,
        world.citegraph.settings,
        world.a.home,
        [text(body, title=title, source_uri=address)],
    )
    with opened(world) as space:
        (found,) = documents.list_documents(space, DocumentFilter(words=address))
        return DocumentId(found.id)


def test_a_document_says_what_of_its_file_was_not_read(world: World, editor: Browser) -> None:
    address = f"{uuid4().hex}.jsonl"
    lines = b'{"name": "Nora Field"}\n{"name": "Ann<b>\n'
    ingest_now(
        world.citegraph.database,
        world.citegraph.settings,
        world.a.home,
        [Submission(lines, "jsonl", "Lines", source_uri=address)],
    )
    with opened(world) as space:
        (document,) = documents.list_documents(space, DocumentFilter(words=address))
        assert document.warnings == ["Damaged and not read: line 2."]
    assert "Damaged and not read: line 2." in editor.get(f"{place(world)}/documents/{document.id}")
    answer = world.http.get(f"{world.a.space}/documents/{document.id}", headers=world.a.bearer("read"))
    assert answer.json()["warnings"] == ["Damaged and not read: line 2."]


def test_a_mail_links_to_the_mail_that_it_answers(world: World, editor: Browser) -> None:
    key = uuid4().hex
    question = f"From: a@x.org\nMessage-ID: <{key}@x.org>\nSubject: Plan of {key}\n\nShall we?\n"
    answer = f"From: b@x.org\nIn-Reply-To: <{key}@x.org>\nSubject: Re\n\nYes.\n"
    lost = f"From: b@x.org\nIn-Reply-To: <lost-{key}@x.org>\nSubject: Re\n\nNo.\n"
    ingest_now(
        world.citegraph.database,
        world.citegraph.settings,
        world.a.home,
        [
            Submission(body.encode(), "eml", "", source_uri=f"file:{key}/{number}.eml")
            for number, body in enumerate((question, answer, lost))
        ],
    )
    with opened(world) as space:
        lost_id, answer_id, question_id = (
            row.id for row in documents.list_documents(space, DocumentFilter(words=key))
        )
    link = f'In reply to <a href="{place(world)}/documents/{question_id}">Plan of {key}</a>'
    assert link in editor.get(f"{place(world)}/documents/{answer_id}")
    assert f"In reply to &lt;lost-{key}@x.org&gt;" in editor.get(f"{place(world)}/documents/{lost_id}")
    details = world.http.get(f"{world.a.space}/documents/{answer_id}", headers=world.a.bearer("read")).json()
    assert details["answered_document_id"] == str(question_id)
    assert details["in_reply_to"] == f"<{key}@x.org>"


def test_mails_within_mailboxes_and_mails_of_files_link_to_each_other(world: World, editor: Browser) -> None:
    key = uuid4().hex
    mailbox = "".join(
        f"From x Mon Jan  1 10:00:0{number} 2024\nFrom: a@x.org\nMessage-ID: <{number}-{key}@x.org>\n"
        f"{answered}Subject: Plan {number}\n\nText {number} of {key}.\n\n"
        for number, answered in enumerate(("", "", f"In-Reply-To: <file-{key}@x.org>\n"))
    )
    inner = f"From: d@x.org\nMessage-ID: <inner-{key}@x.org>\nSubject: Inner\n\nAttached.\n"
    outer = (
        f"From: b@x.org\nMessage-ID: <file-{key}@x.org>\nIn-Reply-To: <1-{key}@x.org>\nSubject: Answer\n"
        'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nYes.\n"
        f"--b\nContent-Type: message/rfc822\n\n{inner}\n--b--\n"
    )
    to_inner = f"From: c@x.org\nIn-Reply-To: <inner-{key}@x.org>\nSubject: Re: Inner\n\nSeen.\n"
    ingest_now(
        world.citegraph.database,
        world.citegraph.settings,
        world.a.home,
        [
            Submission(body.encode(), "mbox" if name == "box" else "eml", "", source_uri=f"file:{key}/{name}")
            for name, body in (("box", mailbox), ("outer", outer), ("inner", to_inner))
        ],
    )
    with opened(world) as space:
        rows = {
            str(row.source_uri).rpartition("/")[2]: row.id
            for row in documents.list_documents(space, DocumentFilter(words=key))
        }
    bearer = world.a.bearer("read")

    def read(path: str) -> Any:
        return world.http.get(f"{world.a.space}/{path}", headers=bearer).json()

    # A mail of its own answers the second of the mailbox; the citation opens that message.
    details = read(f"documents/{rows['outer']}")
    assert details["answered_document_id"] == str(rows["box"])
    chunk = read(f"chunks/{details['answered_chunk_id']}")
    assert (chunk["document_id"], chunk["place"]) == (str(rows["box"]), "message 2")
    assert chunk["message_id"] == f"<1-{key}@x.org>"
    link = f"{place(world)}/documents/chunks/{details['answered_chunk_id']}"
    anchor = f'In reply to <a href="{link}">box, message 2</a>'
    assert anchor in editor.get(f"{place(world)}/documents/{rows['outer']}")
    assert "Plan 1" in editor.get(link)
    # The third of the mailbox answers it, as a file of its own.
    (reply,) = (row for row in read(f"documents/{rows['box']}/chunks")["items"] if row["in_reply_to"])
    assert (reply["place"], reply["in_reply_to"]) == ("message 3", f"<file-{key}@x.org>")
    assert (reply["answered_document_id"], reply["answered_chunk_id"]) == (str(rows["outer"]), None)
    link = f'In reply to <a href="{place(world)}/documents/{rows["outer"]}">Answer</a>'
    assert editor.get(f"{place(world)}/documents/{rows['box']}").count(link) == 1
    # A mail that is attached to another is found as well.
    details = read(f"documents/{rows['inner']}")
    assert details["answered_document_id"] == str(rows["outer"])
    assert read(f"chunks/{details['answered_chunk_id']}")["place"] == "message 1, attached mail 1"


class TestHandingIn:
    def test_each_file_is_judged_by_itself_and_answered_in_order(self, world: World, editor: Browser) -> None:
        name = uuid4().hex
        answer = hand_in(
            editor,
            f"{place(world)}/documents",
            ("a.exe", b"MZ\x00\x01"),
            (f"{name}.md", f"# {name}\n\n{SENTENCE}".encode()),
            ("text.pdf", b"Hello."),
            (f"{name}.md", b"again"),
        )
        assert answer.status_code == 200, answer.text
        rows = answer.json()["rows"]
        assert [row["outcome"] for row in rows] == ["refused", "created", "refused", "refused"]
        assert [row["code"] for row in rows] == [
            "unsupported_format",
            "",
            "unsupported_format",
            "duplicate_name",
        ]
        assert "its content is not PDF" in rows[2]["detail"]
        world.drain()
        assert "ready" in editor.get(rows[1]["path"])
        assert editor.get(answer.json()["job"])

    def test_a_known_name_is_the_next_version_and_the_same_content_unchanged(
        self, world: World, editor: Browser
    ) -> None:
        name = f"{uuid4().hex}.txt"
        outcomes = [
            hand_in(editor, f"{place(world)}/documents", (name, body)).json()["rows"][0]["outcome"]
            for body in (b"One stands here.", b"One stands here.")
        ]
        world.drain()
        answer = hand_in(editor, f"{place(world)}/documents", (name, b"Two stand here."))
        world.drain()
        assert [*outcomes, answer.json()["rows"][0]["outcome"]] == ["created", "unchanged", "version 2"]

    def test_the_audit_says_who_handed_it_in(self, world: World) -> None:
        address = f"{uuid4().hex}@a.example"
        person = join(world, "A", address, Role.EDITOR)
        answer = hand_in(person, f"{place(world)}/documents", (f"{uuid4().hex}.txt", b"Somebody's text."))
        world.drain()
        job_id = UUID(answer.json()["job"].rpartition("/")[2])
        with world.citegraph.database.open_tenant(world.a.home.tenant_id) as tenant:
            (accepted,) = audit.list_entries(tenant, AuditFilter(object_id=job_id, action="document.accept"))
        assert (accepted.actor, accepted.actor_kind, accepted.door) == (address, "account", "dashboard")

    def test_a_text_is_pasted_without_a_script(self, world: World, editor: Browser) -> None:
        title = f"Pasted {uuid4().hex}"
        page = hand_in(
            editor, f"{place(world)}/documents", script=False, title=title, text="A\r\nB", format="text"
        ).text
        assert "created" in page
        assert title in page
        world.drain()
        with opened(world) as space:
            (found,) = documents.list_documents(space, DocumentFilter(words=title))
            assert documents.read_document_text(space, DocumentId(found.id)) == "A\nB"

    def test_a_text_that_is_refused_comes_back_in_its_field(self, world: World, editor: Browser) -> None:
        answer = hand_in(
            editor, f"{place(world)}/documents", script=False, title="x" * 300, text="Kept words."
        )
        assert answer.status_code == 422
        assert "Kept words.</textarea>" in answer.text
        assert "over 200 bytes" in answer.text

    def test_nothing_chosen_is_said(self, world: World, editor: Browser) -> None:
        answer = hand_in(editor, f"{place(world)}/documents", script=False)
        assert answer.status_code == 422
        assert "Choose a file" in answer.text

    def test_a_file_over_the_limit_is_refused(self, world: World, editor: Browser) -> None:
        most = world.citegraph.settings.max_upload_bytes
        answer = hand_in(editor, f"{place(world)}/documents", ("big.txt", b"a" * (most + 1)))
        assert answer.json()["rows"][0]["code"] == "payload_too_large"

    def test_a_form_without_the_token_stores_nothing(self, world: World, editor: Browser) -> None:
        name = f"{uuid4().hex}.txt"
        forged = Browser(editor.http, "0" * 64)
        assert hand_in(forged, f"{place(world)}/documents", (name, b"Forged.")).status_code == 403
        with opened(world) as space:
            assert documents.list_documents(space, DocumentFilter(words=name)) == []

    def test_a_form_is_read_only_in_a_place_for_uploads(self, world: World, editor: Browser) -> None:
        limits = editor.http.app.state.bulkheads  # type: ignore[attr-defined]
        assert isinstance(limits, Bulkheads)
        uploads = limits.uploads
        tenant = world.a.tenant_id
        with uploads._lock:
            uploads._running_counts[tenant] += uploads._per_tenant
        try:
            answer = hand_in(editor, f"{place(world)}/documents", ("a.txt", b"One."))
        finally:
            uploads._release_slot_and_admit_next(tenant)
            with uploads._lock:
                uploads._running_counts[tenant] -= uploads._per_tenant - 1
        assert answer.status_code == 429
        assert answer.headers["retry-after"] == "1"


@pytest.fixture(scope="module")
def many(world: World) -> str:
    """The word in the titles of ninety documents."""
    word = uuid4().hex[:12]
    with opened(world) as space:
        documents.submit_documents(
            space, [text(f"{word} {number}", title=f"{word} {number:02d}%_") for number in range(90)]
        )
    world.drain()
    return word


class TestTheList:
    def test_pages_lead_on_and_back_and_hold_everything_once(
        self, world: World, viewer: Browser, many: str
    ) -> None:
        def titles(page: str) -> list[str]:
            return [
                row.partition(">")[2].partition("<")[0]
                for row in page.split('class="clamp-2" dir="auto"')[1:]
                if many in row
            ]

        def link(page: str, rel: str) -> str | None:
            found = page.partition(f'rel="{rel}" href="')[2].partition('"')[0].replace("&amp;", "&")
            return f"{place(world)}/documents{found}" if found else None

        first = viewer.get(f"{place(world)}/documents?q={many}")
        second = viewer.get(str(link(first, "next")))
        third = viewer.get(str(link(second, "next")))
        seen = [titles(first), titles(second), titles(third)]
        assert [len(page_titles) for page_titles in seen] == [40, 40, 10]
        assert len({title for page_titles in seen for title in page_titles}) == 90
        assert link(third, "next") is None
        assert link(first, "prev") is None
        back = viewer.get(str(link(third, "prev")))
        assert titles(back) == seen[1]
        assert titles(viewer.get(str(link(back, "prev")))) == seen[0]
        assert link(viewer.get(str(link(back, "prev"))), "prev") is None

    def test_a_search_is_literal_and_joins_filters(self, world: World, viewer: Browser, many: str) -> None:
        with opened(world) as space:
            found = documents.list_documents(space, DocumentFilter(words=f"{many.upper()} 07%"))
            assert [document.title for document in found] == [f"{many} 07%_"]
            assert documents.list_documents(space, DocumentFilter(words=f"{many}%07")) == []
            assert documents.list_documents(space, DocumentFilter(state="failed", words=many)) == []
            assert documents.list_documents(space, DocumentFilter(format="pdf", words=many)) == []
        assert "No document fits" in viewer.get(f"{place(world)}/documents?q={many}&format=pdf")

    def test_a_search_looks_at_a_bounded_number_and_goes_on(
        self, world: World, viewer: Browser, many: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The ninety are the newest of the space: what only older ones hold takes further looks."""
        monkeypatch.setattr("app.documents.service.MAX_SEARCHED_DOCUMENTS", 30)
        query = f"{place(world)}/documents?q={many}+0"
        page, seen, looks = viewer.get(query), [], 0
        while True:
            looks += 1
            seen += re.findall(rf'title="({many} \d\d)%_"', page)
            # What a script asks for by itself, and a link for whoever has none, say the same place.
            on = re.search(r'hx-get="([^"]+)"', page)
            link = re.search(r'<a href="([^"]+)">Search the older ones', page)
            assert (on is None) == (link is None)
            if on is None or link is None:
                break
            by_script, by_hand = on[1].replace("&amp;", "&"), link[1].replace("&amp;", "&")
            assert by_script.split("&shown")[0].endswith(by_hand)
            answer = viewer.http.get(by_script, headers={"hx-request": "true"})
            assert answer.status_code == 200
            page = answer.text
            assert "<html" not in page
        assert looks >= 4
        assert seen == [f"{many} 0{number}" for number in reversed(range(10))]
        # Forwards, and without any: each look says that it found none so far, the last that there is none.
        nothing = viewer.get(f"{place(world)}/documents?q=nothing-{many}")
        assert "Search the older ones" in nothing
        assert "No document fits" not in nothing

    def test_a_full_page_waits_to_be_asked_for_more(
        self, world: World, viewer: Browser, many: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("app.documents.service.MAX_SEARCHED_DOCUMENTS", 30)
        path = f"{place(world)}/documents?q={many}&shown=40"
        page = viewer.http.get(path, headers={"hx-request": "true"}).text
        assert "hx-get" not in page
        assert "Search the older ones" in page

    def test_a_viewer_sees_no_button_that_refuses_him(self, world: World, viewer: Browser) -> None:
        assert "Add documents" not in viewer.get(f"{place(world)}/documents")
        page = viewer.get(f"{place(world)}/documents/{world.a.document_id}")
        assert "New version" not in page
        assert "Delete" not in page


class TestAVersion:
    OLD = "\n\n".join(
        [
            "Ruth Falk founded Bracken Mill. " + "The mill stands by a river and grinds corn. " * 40,
            "Ruth Falk works for Heron Bank. " + "The bank is old and keeps its books in a cellar. " * 40,
        ]
    )

    def send(self, editor: Browser, path: str, body: str, **fields: str):  # type: ignore[no-untyped-def]
        return editor.http.post(
            f"{path}/version",
            data={"csrf": editor.csrf, "action": "preview", **fields},
            files={"file": ("v.txt", body.encode(), "text/plain")},
            headers={"origin": BASE},
            follow_redirects=False,
        )

    def field(self, page: str, name: str) -> str:
        return page.partition(f'name="{name}" value="')[2].partition('"')[0]

    def test_it_is_shown_before_it_is_stored_and_stored_as_it_was_shown(
        self, world: World, editor: Browser
    ) -> None:
        document_id = ingest(world, self.OLD, title="Falk")
        path = f"{place(world)}/documents/{document_id}"
        new = self.OLD.replace("works for Heron Bank", "founded Heron Bank")
        page = self.send(editor, path, new).text
        assert "chunks stay" in page
        # The claim of the changed chunk ends; the new one is read ahead of the job.
        assert "works for" in page
        assert '<mark class="differs">works</mark>' in page or "differs" in page
        with opened(world) as space:
            assert documents.get_document(space, document_id).version == 1
        shown = {name: self.field(page, name) for name in ("version", "content_hash")}
        # Another text than the one that was shown is not stored.
        stale = self.send(editor, path, new + " More.", step="replace", **shown)
        assert "has changed since you looked" in stale.text
        with opened(world) as space:
            assert documents.get_document(space, document_id).version == 1
        stored = self.send(editor, path, new, step="replace", **shown)
        assert stored.status_code == 303, stored.text
        world.drain()
        with opened(world) as space:
            document = documents.get_document(space, document_id)
            assert (document.version, document.state, document.title) == (2, "ready", "Falk")
        assert "is the current content" in self.send(editor, path, new).text

    def test_what_ends_is_what_the_ledger_ends(self, world: World, editor: Browser) -> None:
        document_id = ingest(world, self.OLD.replace("Ruth Falk", "Una Thorn"), title="Thorn")
        path = f"{place(world)}/documents/{document_id}"
        page = self.send(editor, path, "Una Thorn founded Bracken Mill.").text
        assert page.count('badge-warn">ends<') >= 1
        assert 'badge-good">stated again<' in page

    def test_a_claim_that_another_document_states_does_not_end(self, world: World, editor: Browser) -> None:
        first = ingest(world, "Iris Vole founded Sedge Yard.", title="Vole")
        ingest(world, "It is known that Iris Vole founded Sedge Yard.", title="Vole again")
        page = self.send(editor, f"{place(world)}/documents/{first}", "Nothing of the kind stands here.").text
        assert "None: each is stated elsewhere too" in page

    def test_a_document_without_an_address_is_replaced_too(self, world: World, editor: Browser) -> None:
        title = uuid4().hex
        with opened(world) as space:
            (submitted,), _ = documents.submit_documents(space, [text(f"{title} one.", title=title)])
            documents.submit_documents(space, [text(f"{title} other.", title="other")])
            path = f"{place(world)}/documents/{submitted.document.id}"
        world.drain()
        page = self.send(editor, path, f"{title} two.").text
        shown = {name: self.field(page, name) for name in ("version", "content_hash")}
        assert self.send(editor, path, f"{title} two.", step="replace", **shown).status_code == 303
        page = self.send(editor, path, f"{title} other.").text
        shown = {name: self.field(page, name) for name in ("version", "content_hash")}
        refused = self.send(editor, path, f"{title} other.", step="replace", **shown)
        assert refused.status_code == 409
        assert "exactly this content" in refused.text

    def test_a_version_that_cannot_be_read_says_why(self, world: World, editor: Browser) -> None:
        document_id = ingest(world, "Something stands here.")
        answer = self.send(editor, f"{place(world)}/documents/{document_id}", "")
        assert answer.status_code == 422
        assert 'note-bad" role="alert"' in answer.text


class TestDeleting:
    def test_the_receipt_counts_what_was_announced(self, world: World, editor: Browser) -> None:
        document_id = ingest(world, "Olga Wren founded Copper Dale. Olga Wren uses SQL.", title="Wren")
        path = f"{place(world)}/documents/{document_id}/delete"

        def counts(page: str) -> list[str]:
            return [fragment.partition("<")[0] for fragment in page.split('removal-count num">')[1:]]

        announced = counts(editor.get(path))
        assert len(announced) == 5
        assert int(announced[1]) >= 2
        with opened(world) as space:
            assert documents.get_document(space, document_id)
        receipt = editor.post(path, status=200, prune="false")
        assert "Its receipt" in receipt
        assert counts(receipt) == announced
        editor.get(f"{place(world)}/documents/{document_id}", status=404)

    def test_a_viewer_is_not_shown_what_he_may_not_do(self, world: World, viewer: Browser) -> None:
        page = viewer.get(f"{place(world)}/documents/{world.a.document_id}/delete", status=403)
        assert "Delete for good" not in page


class TestFailed:
    def failed(self, world: World) -> DocumentId:
        """A document that its worker could not read, and could now."""
        document_id = ingest(world, f"{uuid4().hex} stands here.", title="Broken")
        with opened(world) as space:
            document = documents.get_document(space, document_id)
            document.state, document.failure_code, document.failure_reason = (
                "failed",
                "parse_timeout",
                "Too slow.",
            )
        return document_id

    def test_the_reason_is_shown_and_trying_again_helps(self, world: World, editor: Browser) -> None:
        document_id = self.failed(world)
        page = editor.get(f"{place(world)}/documents?state=failed")
        assert "Too slow." in page
        path = f"{place(world)}/documents/{document_id}"
        assert "parse_timeout" in editor.get(path)
        editor.post(f"{path}/retry")
        world.drain()
        assert "Too slow." not in editor.get(path)
        editor.post(f"{path}/retry", status=409)

    def test_all_that_failed_go_into_one_job(self, world: World, editor: Browser) -> None:
        both = [self.failed(world), self.failed(world)]
        editor.get(f"{place(world)}/documents?state=failed")
        editor.post(f"{place(world)}/documents/retry-failed")
        with opened(world) as space:
            jobs = {documents.get_document(space, document_id).job_id for document_id in both}
            assert len(jobs) == 1
        world.drain()
        with opened(world) as space:
            assert {documents.get_document(space, document_id).state for document_id in both} == {"ready"}


def test_a_chunk_leads_to_its_place_in_the_text(world: World, viewer: Browser) -> None:
    answer = viewer.http.get(f"{place(world)}/documents/chunks/{world.a.chunk_id}", follow_redirects=False)
    found = urlsplit(answer.headers["location"])
    assert found.path.endswith(str(world.a.document_id))
    assert f'id="{found.fragment}"' in viewer.get(f"{found.path}?{found.query}")
    assert parse_qs(found.query).keys() <= {"after"}


def test_the_text_marks_names_beside_quotes(world: World, viewer: Browser) -> None:
    page = viewer.get(f"{place(world)}/documents/{world.a.document_id}")
    assert 'class="mention"' in page
    assert 'class="evidence"' in page
