"""One bad document of several is named by its place and code, and the others are taken."""

from typing import Any

from httpx2 import Response

from tests.api.conftest import Account, World

GOOD = "Michael Stonebraker created Ingres."
BINARY = bytes(range(256)) * 20


def _post(world: World, account: Account, path: str = "/documents", **body: Any) -> Response:
    return world.http.post(f"{account.space}{path}", headers=account.bearer("write"), **body)


def _addresses(world: World, account: Account) -> set[str]:
    answer = world.http.get(f"{account.space}/documents", headers=account.bearer())
    return {item["source_uri"] for item in answer.json()["items"]}


class TestFilesOfAForm:
    FILES = (
        ("file", ("good.txt", GOOD.encode(), "text/plain")),
        ("file", ("/home/somebody/bad.txt", BINARY, "text/plain")),
        ("file", ("setup.exe", b"MZ\x90\x00", "application/x-msdownload")),
        ("file", ("also-good.md", b"# Ada\n\nAda wrote it.", "text/markdown")),
        ("file", ("empty.txt", b"", "text/plain")),
        ("file", ("n" * 1_100 + ".txt", b"A name that is too long.", "text/plain")),
    )

    def test_the_good_ones_are_taken_and_the_bad_ones_named(self, world: World, guest: Account) -> None:
        # What other tests left is no part of what is counted below.
        world.drain()
        answer = _post(world, guest, files=self.FILES)
        assert answer.status_code == 202, answer.text
        body = answer.json()
        assert [document["source_uri"] for document in body["documents"]] == ["good.txt", "also-good.md"]
        assert [(refusal["index"], refusal["name"], refusal["code"]) for refusal in body["refused"]] == [
            (1, "bad.txt", "unsupported_format"),
            (2, "setup.exe", "unsupported_format"),
            (4, "empty.txt", "empty_document"),
            (5, None, "too_long"),
        ]
        assert all(refusal["detail"].endswith(".") or ":" in refusal["detail"] for refusal in body["refused"])
        assert world.drain() == 1
        assert _addresses(world, guest) == {"good.txt", "also-good.md"}

    def test_where_all_are_bad_all_are_listed_and_nothing_is_stored(
        self, world: World, guest: Account
    ) -> None:
        files = [("file", (f"{number}.txt", BINARY, "text/plain")) for number in range(7)]
        answer = _post(world, guest, files=files)
        assert (answer.status_code, answer.json()["code"]) == (422, "no_document_accepted")
        assert [(error["loc"], error["type"]) for error in answer.json()["errors"]] == [
            (f"body.file.{number}", "unsupported_format") for number in range(7)
        ]
        assert _addresses(world, guest) == set()

    def test_one_file_alone_answers_with_its_own_status(self, world: World, guest: Account) -> None:
        answer = _post(world, guest, files=[("file", ("a.txt", BINARY, "text/plain"))])
        assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_format")


class TestDocumentsAsJson:
    def test_the_good_ones_are_taken_and_the_bad_ones_named_by_index(
        self, world: World, guest: Account
    ) -> None:
        answer = _post(
            world,
            guest,
            json={
                "documents": [
                    {"text": GOOD, "title": 7},
                    {"text": GOOD, "source_uri": "good"},
                    {"text": "%PDF-1.7 hello", "source_uri": "pdf"},
                    "not a document",
                    {"text": GOOD, "unknown": 1},
                ]
            },
        )
        assert answer.status_code == 202, answer.text
        refused = answer.json()["refused"]
        assert [(refusal["index"], refusal["name"], refusal["code"]) for refusal in refused] == [
            (0, None, "invalid_input"),
            (2, "pdf", "damaged_document"),
            (3, None, "invalid_input"),
            (4, None, "invalid_input"),
        ]
        assert "body.documents.0.title" in refused[0]["detail"]
        assert _addresses(world, guest) == {"good"}

    def test_an_estimate_names_them_too_and_stores_nothing(self, world: World, guest: Account) -> None:
        body = {"documents": [{"text": GOOD}, {"text": "\x01\x02\x03" * 99, "source_uri": "bad"}]}
        answer = _post(world, guest, "/documents?dry_run=true", json=body)
        assert answer.status_code == 200, answer.text
        assert answer.json()["documents"] == 1
        assert [refusal["name"] for refusal in answer.json()["refused"]] == ["bad"]
        assert _addresses(world, guest) == set()
