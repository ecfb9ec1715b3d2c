"""`citegraph sync`: a folder is the truth. Random acts on it end in the space that a fresh ingest makes.

All of it in the database of this machine and, over HTTP with a key, in the space of a server.
"""

import errno
import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL

from app.cli.targets.database import DatabaseTarget
from app.cli.targets.server import ServerTarget
from app.db.database import Database
from app.settings import Settings
from tests.api.conftest import assembled, make_keys, serving
from tests.cli.conftest import Call, read_json
from tests.conftest import Home, make_home
from tests.support.folder_acts import act_in_folder, exported, remove_unreadable, text_files
from tests.support.ingest import make_runner
from tests.support.sampling import sampled

# Its steps are replaced to run jobs or to end the process between them.
command: Any = importlib.import_module("app.cli.sync")

SYNC_OPTIONS = ("--space", "library", "--yes", "--allow-empty")

HERE_OR_IN_SOAK_BY_KEY = pytest.mark.parametrize(
    "way", ["database", pytest.param("server", marks=pytest.mark.soak)], indirect=True
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of three files, one of them below."""
    path = tmp_path / "papers"
    (path / "below").mkdir(parents=True)
    (path / "one.txt").write_text("Ada Lovelace created Analytical Engine.\n")
    (path / "two.txt").write_text("Charles Babbage created Difference Engine.\n")
    (path / "below" / "three.txt").write_text("Grace Hopper created Relay Calculator.\n")
    return path


@pytest.fixture(params=["database", pytest.param("server", marks=pytest.mark.soak)])
def way(
    request: pytest.FixtureRequest,
    app_url: URL,
    database: Database,
    home: Home,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[str]:
    """How the command reaches the space: without options in both cases, by variables in the second."""
    if request.param == "database":
        yield "database"
        return
    with assembled(app_url, tmp_path / "server") as parts, serving(parts) as (host, port):
        monkeypatch.setenv("CITEGRAPH_URL", f"http://{host}:{port}")
        monkeypatch.setenv("CITEGRAPH_API_KEY", make_keys(database, home)["full"])
        yield "server"


@pytest.fixture
def sync(
    citegraph: Call, database: Database, settings: Settings, way: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Calls the command, which returns its JSON; jobs are run where it waits for them."""
    awaited = command.await_jobs

    def run_jobs(*arguments: Any, **options: Any) -> Any:
        make_runner(database, settings).drain()
        return awaited(*arguments, **options)

    monkeypatch.setattr(command, "await_jobs", run_jobs)

    def call(folder: Path, *options: str) -> Any:
        return read_json(
            citegraph("sync", folder, "--space", "library", "--yes", "--allow-empty", "--json", *options)
        )

    return call


class TestOneRound:
    def test_new_changed_renamed_and_removed_files_follow(
        self, sync: Callable[..., Any], home: Home, folder: Path
    ) -> None:
        first = sync(folder)
        assert first["new"] == [f"file:papers/{name}" for name in ("one.txt", "two.txt", "below/three.txt")]
        (folder / "one.txt").write_text("Ada Lovelace created Difference Engine.\n")
        (folder / "two.txt").rename(folder / "below" / "deux.txt")
        (folder / "below" / "three.txt").unlink()
        second = sync(folder)
        assert second["new"] == []
        assert second["changed"] == ["file:papers/one.txt"]
        assert second["renamed"] == [{"from": "file:papers/two.txt", "to": "file:papers/below/deux.txt"}]
        [removed] = second["removed"]
        assert removed["source_uri"] == "file:papers/below/three.txt"
        assert removed["receipt"]["pruned_edges"] == 1
        assert removed["receipt"]["pruned_nodes"] == 2
        third = sync(folder)
        assert (third["new"], third["changed"], third["renamed"], third["removed"]) == ([], [], [], [])
        assert third["unchanged"] == 2
        assert third["jobs"] == []

    def test_a_renamed_file_is_not_read_again_and_its_name_follows(
        self, sync: Callable[..., Any], citegraph: Call, home: Home, folder: Path
    ) -> None:
        sync(folder)
        before = {row["source_uri"]: row for row in _documents(citegraph)}
        (folder / "two.txt").rename(folder / "deux.txt")
        assert sync(folder)["jobs"] == []
        after = {row["source_uri"]: row for row in _documents(citegraph)}
        assert after["file:papers/deux.txt"]["id"] == before["file:papers/two.txt"]["id"]
        assert after["file:papers/deux.txt"]["title"] == "deux.txt"

    def test_files_may_trade_their_names(
        self, sync: Callable[..., Any], database: Database, home: Home, folder: Path
    ) -> None:
        sync(folder)
        (folder / "one.txt").rename(folder / "spare.txt")
        (folder / "two.txt").rename(folder / "one.txt")
        (folder / "spare.txt").rename(folder / "two.txt")
        traded = sync(folder)
        assert len(traded["renamed"]) == 2
        assert traded["jobs"] == []
        assert (
            "chunk",
            "file:papers/one.txt",
            "0",
            "Charles Babbage created Difference Engine.",
        ) in exported(database, home)

    def test_a_dry_run_shows_what_would_go_and_changes_nothing(
        self, sync: Callable[..., Any], database: Database, home: Home, folder: Path
    ) -> None:
        sync(folder)
        before = exported(database, home)
        (folder / "one.txt").unlink()
        (folder / "new.txt").write_text("Alan Turing created Bombe Machine.")
        shown = sync(folder, "--dry-run")
        assert shown["new"] == ["file:papers/new.txt"]
        assert shown["removed"][0]["receipt"]["pruned_edges"] == 1
        assert exported(database, home) == before

    def test_removal_is_asked_for_and_may_be_declined(
        self, sync: Callable[..., Any], citegraph: Call, database: Database, home: Home, folder: Path
    ) -> None:
        sync(folder)
        before = exported(database, home)
        (folder / "one.txt").unlink()
        declined = citegraph("sync", folder, "--space", "library", input="n\n")
        assert "- one.txt: 1 chunk, 1 edge, 2 nodes" in declined.stdout
        assert exported(database, home) == before
        agreed = citegraph("sync", folder, "--space", "library", input="y\n")
        assert "Removed 1 document: 1 chunk, 1 edge, 2 nodes." in agreed.stdout

    def test_what_is_passed_over_is_named_with_its_reason(
        self, sync: Callable[..., Any], home: Home, folder: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "outside.txt").write_text("A secret.")
        (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
        (folder / "inside.txt").symlink_to(folder / "one.txt")
        (folder / "up").symlink_to(tmp_path, target_is_directory=True)
        (folder / "picture.raw").write_bytes(b"\0")
        (folder / ".gitignore").write_text("drafts/\n*.log\n!keep.log\n")
        (folder / "drafts").mkdir()
        (folder / "drafts" / "a.txt").write_text("A draft.")
        (folder / "x.log").write_text("A line.")
        (folder / "keep.log").write_text("Ada Lovelace created Analytical Engine.")
        (folder / "below" / ".citegraphignore").write_text("three.*\n")
        shown = sync(folder, "--exclude", "two.*")
        assert shown["new"] == [f"file:papers/{name}" for name in ("inside.txt", "keep.log", "one.txt")]
        codes = {
            Path(file["path"]).relative_to(folder).as_posix(): file["code"] for file in shown["passed_over"]
        }
        assert codes == {
            ".gitignore": "hidden",
            "below/.citegraphignore": "hidden",
            "below/three.txt": "ignored",
            "drafts": "ignored",
            "link.txt": "symbolic_link",
            "picture.raw": "unknown_format",
            "two.txt": "ignored",
            "up": "symbolic_link",
            "x.log": "ignored",
        }

    def test_a_file_that_cannot_be_read_keeps_its_document(
        self, sync: Callable[..., Any], citegraph: Call, database: Database, home: Home, folder: Path
    ) -> None:
        sync(folder)
        before = exported(database, home)
        (folder / "one.txt").write_bytes(bytes(range(256)))
        failed = citegraph("sync", folder, "--space", "library", "--yes")
        assert failed.exit_code == 1
        assert "one.txt" in failed.stderr
        assert exported(database, home) == before

    @pytest.mark.parametrize("name", ["one.txt", "new.txt", "below/new.md", "new.html", "new.csv"])
    @pytest.mark.parametrize("content", ["", " \n\t\n"])
    def test_a_file_without_text_fails_no_run(
        self, sync: Callable[..., Any], citegraph: Call, folder: Path, name: str, content: str
    ) -> None:
        sync(folder)
        (folder / name).write_text(content)
        for _ in range(2):
            result = citegraph("sync", folder, *SYNC_OPTIONS)
            assert (result.exit_code, result.exception) == (0, None), result.stderr
            assert f"{name}: " in result.stderr
        assert all(not str(row["source_uri"]).endswith(f"/{name}") for row in _documents(citegraph))

    def test_a_folder_that_cannot_be_listed_keeps_its_documents(
        self,
        sync: Callable[..., Any],
        citegraph: Call,
        home: Home,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        sync(folder)
        walk = os.walk

        def denied(top: Path, onerror: Callable[[OSError], None]) -> Iterator[Any]:
            for name, folders, files in walk(top):
                if "below" in folders:
                    folders.remove("below")
                    onerror(PermissionError(errno.EACCES, "Permission denied", f"{name}/below"))
                yield name, folders, files

        monkeypatch.setattr(os, "walk", denied)
        result = citegraph("sync", folder, "--space", "library", "--yes")
        assert "Permission denied" in result.stderr
        assert result.exit_code == 1
        assert len(_documents(citegraph)) == 3

    def test_without_a_file_nothing_is_removed_unasked(
        self, sync: Callable[..., Any], citegraph: Call, home: Home, folder: Path
    ) -> None:
        """A disk that is not mounted looks like an empty folder."""
        sync(folder)
        shutil.rmtree(folder)
        folder.mkdir()
        kept = citegraph("sync", folder, "--space", "library", "--yes")
        assert "--allow-empty" in kept.stderr
        assert len(_documents(citegraph)) == 3
        assert len(sync(folder)["removed"]) == 3
        assert _documents(citegraph) == []

    @pytest.mark.soak
    def test_an_archive_is_a_folder(
        self, sync: Callable[..., Any], home: Home, folder: Path, tmp_path: Path
    ) -> None:
        shutil.make_archive(str(tmp_path / "old"), "zip", folder)
        (tmp_path / "old.zip").rename(folder / "old.zip")
        inside = [f"file:papers/old.zip/{name}" for name in ("one.txt", "two.txt", "below/three.txt")]
        assert set(inside) <= set(sync(folder)["new"])
        (folder / "old.zip").unlink()
        assert {document["source_uri"] for document in sync(folder)["removed"]} == set(inside)

    def test_documents_of_other_addresses_are_left_alone(
        self, sync: Callable[..., Any], citegraph: Call, home: Home, folder: Path, tmp_path: Path
    ) -> None:
        other = tmp_path / "papers-2" / "papers%.txt"
        other.parent.mkdir()
        other.write_text("Alan Turing created Bombe Machine.")
        sync(other.parent)
        sync(folder)
        assert sync(folder)["removed"] == []
        assert len(_documents(citegraph)) == 4

    @HERE_OR_IN_SOAK_BY_KEY
    def test_a_name_in_other_letters_is_a_rename_and_a_copy_a_document_of_its_own(
        self, sync: Callable[..., Any], citegraph: Call, home: Home, folder: Path
    ) -> None:
        sync(folder)
        (folder / "one.txt").rename(folder / "One.TXT")
        shutil.copy(folder / "two.txt", folder / "copy.txt")
        shown = sync(folder)
        assert shown["renamed"] == [{"from": "file:papers/one.txt", "to": "file:papers/One.TXT"}]
        assert shown["new"] == ["file:papers/copy.txt"]
        (folder / "two.txt").unlink()
        assert [document["source_uri"] for document in sync(folder)["removed"]] == ["file:papers/two.txt"]
        explained = read_json(citegraph("explain", "Difference Engine", "-s", "library", "--json"))
        assert "Charles Babbage" in str(explained)

    @pytest.mark.soak
    def test_what_is_attached_goes_with_its_mail(
        self, sync: Callable[..., Any], citegraph: Call, home: Home, folder: Path
    ) -> None:
        inner, outer = EmailMessage(), EmailMessage()
        for mail, text in ((inner, "Zuse founded Relay Works."), (outer, "See below.")):
            mail["From"], mail["Subject"] = "ann@x.org", "Notes"
            mail.set_content(text)
        inner.add_attachment("Alan Turing created Bombe Machine.", filename="deep.txt")
        outer.add_attachment(inner)
        (folder / "mail.eml").write_bytes(outer.as_bytes())
        addresses = {"file:papers/mail.eml", "file:papers/mail.eml/deep.txt"}
        assert addresses < set(sync(folder)["new"])
        (folder / "mail.eml").unlink()
        assert {document["source_uri"] for document in sync(folder)["removed"]} == addresses
        assert len(_documents(citegraph)) == 3

    @HERE_OR_IN_SOAK_BY_KEY
    def test_a_file_of_another_format_under_the_same_name_is_a_change(
        self, sync: Callable[..., Any], citegraph: Call, home: Home, folder: Path
    ) -> None:
        sync(folder)
        (folder / "one.txt").write_text("{\\rtf1\\ansi Alan Turing created Bombe Machine.\\par}")
        assert sync(folder)["changed"] == ["file:papers/one.txt"]
        assert {row["format"] for row in _documents(citegraph)} == {"rtf", "text"}
        assert sync(folder)["unchanged"] == 3

    @HERE_OR_IN_SOAK_BY_KEY
    def test_a_space_that_comes_back_from_an_export_knows_its_folder(
        self,
        sync: Callable[..., Any],
        citegraph: Call,
        database: Database,
        home: Home,
        folder: Path,
        tmp_path: Path,
    ) -> None:
        sync(folder)
        before = exported(database, home)
        assert citegraph("export", "--space", "library", "--out", tmp_path / "out.jsonl").exit_code == 0
        for row in _documents(citegraph):
            citegraph("documents", "delete", row["id"], "--space", "library", "--prune", "--yes")
        assert _documents(citegraph) == []
        imported = citegraph("import", tmp_path / "out.jsonl", "--space", "library")
        assert imported.exit_code == 0, imported.stderr
        assert exported(database, home) == before
        shown = sync(folder)
        assert (shown["new"], shown["changed"], shown["removed"], shown["jobs"]) == ([], [], [], [])
        assert shown["unchanged"] == 3


class TestARenamedFolder:
    """A folder that was renamed keeps its documents; nothing is read or paid again (requirement 2.3)."""

    def test_its_documents_get_the_new_addresses(
        self, sync: Callable[..., Any], citegraph: Call, home: Home, folder: Path
    ) -> None:
        sync(folder)
        before = {row["source_uri"]: row["id"] for row in _documents(citegraph)}
        folder = folder.rename(folder.with_name("articles"))
        (folder / "one.txt").write_text("Ada Lovelace created Difference Engine.\n")
        (folder / "two.txt").rename(folder / "deux.txt")
        foreseen = sync(folder, "--renamed-from", "papers", "--dry-run")
        assert {row["source_uri"]: row["id"] for row in _documents(citegraph)} == before
        shown = sync(folder, "--renamed-from", "papers")
        for name in ("new", "changed", "renamed", "removed", "unchanged"):
            assert shown[name] == foreseen[name], name
        assert (shown["new"], shown["removed"]) == ([], [])
        assert shown["changed"] == ["file:articles/one.txt"]
        assert {"from": "file:papers/below/three.txt", "to": "file:articles/below/three.txt"} in shown[
            "renamed"
        ]
        after = {row["source_uri"]: row["id"] for row in _documents(citegraph)}
        assert after == {
            "file:articles/one.txt": before["file:papers/one.txt"],
            "file:articles/deux.txt": before["file:papers/two.txt"],
            "file:articles/below/three.txt": before["file:papers/below/three.txt"],
        }
        assert sync(folder, "--renamed-from", "papers")["unchanged"] == 3

    def test_nothing_is_read_again(
        self, sync: Callable[..., Any], database: Database, home: Home, folder: Path
    ) -> None:
        """Without a job no model is asked, and no vector is computed."""
        sync(folder)
        before = exported(database, home)
        shown = sync(folder.rename(folder.with_name("articles")), "--renamed-from", "papers")
        assert (shown["jobs"], shown["unchanged"]) == ([], 3)
        assert "papers" in str(before)
        assert str(exported(database, home)) == str(before).replace("file:papers/", "file:articles/")

    def test_without_the_option_it_is_named_and_the_option_mends_it_later(
        self, sync: Callable[..., Any], citegraph: Call, home: Home, folder: Path
    ) -> None:
        sync(folder)
        copy = folder.with_name("copy")
        shutil.copytree(folder, copy)
        (copy / "below" / "three.txt").unlink()
        assert "--renamed-from" not in citegraph("sync", copy, "--space", "library", "--dry-run").stderr
        shutil.rmtree(copy)
        folder = folder.rename(folder.with_name("articles"))
        noted = citegraph("sync", folder, "--space", "library", "--yes")
        assert "`--renamed-from papers` keeps them" in noted.stderr
        assert len(_documents(citegraph)) == 6
        mended = sync(folder, "--renamed-from", "papers")
        assert (mended["jobs"], mended["unchanged"], len(mended["removed"])) == ([], 3, 3)
        assert {row["source_uri"].partition("/")[0] for row in _documents(citegraph)} == {"file:articles"}

    @pytest.mark.parametrize("name", ["papers", "a/b", "..", "/papers"])
    def test_what_is_no_earlier_name_is_refused(
        self, citegraph: Call, home: Home, way: str, folder: Path, name: str
    ) -> None:
        assert citegraph("sync", folder, "--space", "library", "--renamed-from", name).exit_code == 2


class TestFilesThatChangeMeanwhile:
    """A file that vanishes or changes while the command runs is reported by name; the next round mends it."""

    @pytest.fixture
    def meanwhile(self, way: str, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
        """Has somebody act once, after the next round has listed and compared the files."""
        target = DatabaseTarget if way == "database" else ServerTarget
        listed = target.list_stored_files_below

        def act_after_listing(act: Callable[[], object]) -> None:
            acts = [act]

            def list_stored_files_below(self: Any, address: str) -> Any:
                stored_files = listed(self, address)
                while acts:
                    acts.pop()()
                return stored_files

            monkeypatch.setattr(target, "list_stored_files_below", list_stored_files_below)

        return act_after_listing

    def test_a_file_that_vanishes_or_is_emptied_is_named_and_the_rest_is_read(
        self,
        sync: Callable[..., Any],
        citegraph: Call,
        home: Home,
        folder: Path,
        meanwhile: Callable[[Callable[[], object]], None],
    ) -> None:
        def act() -> None:
            (folder / "one.txt").unlink()
            (folder / "two.txt").write_text("")

        meanwhile(act)
        failed = citegraph("sync", folder, *SYNC_OPTIONS, "--json")
        assert failed.exit_code == 1
        skipped = {Path(file["path"]).name: file["code"] for file in json.loads(failed.stdout)["skipped"]}
        assert skipped == {"one.txt": "unreadable", "two.txt": "empty_document"}
        assert f"Skipped {folder}/one.txt: No such file or directory." in failed.stderr
        assert [row["source_uri"] for row in _documents(citegraph)] == ["file:papers/below/three.txt"]
        (folder / "two.txt").write_text("Charles Babbage created Difference Engine.\n")
        assert sync(folder)["new"] == ["file:papers/two.txt"]

    def test_a_file_that_is_rewritten_is_submitted_as_it_is_then(
        self,
        sync: Callable[..., Any],
        home: Home,
        folder: Path,
        meanwhile: Callable[[Callable[[], object]], None],
    ) -> None:
        meanwhile(lambda: (folder / "one.txt").write_text("Alan Turing created Bombe Machine.\n"))
        assert len(sync(folder)["new"]) == 3
        again = sync(folder)
        assert (again["jobs"], again["unchanged"]) == ([], 3)

    def test_a_file_that_comes_back_before_the_removal_keeps_its_document(
        self,
        sync: Callable[..., Any],
        citegraph: Call,
        home: Home,
        folder: Path,
        meanwhile: Callable[[Callable[[], object]], None],
    ) -> None:
        """A program may write a file anew by deleting it first."""
        sync(folder)
        ids = {row["id"] for row in _documents(citegraph)}
        text = (folder / "one.txt").read_text()
        (folder / "one.txt").unlink()
        (folder / "two.txt").unlink()
        running = command.await_jobs

        def rewrite(*arguments: Any, **options: Any) -> Any:
            (folder / "one.txt").write_text(text)
            return running(*arguments, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(command, "await_jobs", rewrite)
            failed = citegraph("sync", folder, *SYNC_OPTIONS, "--json")
        assert failed.exit_code == 1
        assert "one.txt: It was missing and is there again" in failed.stderr
        assert len({row["id"] for row in _documents(citegraph)} & ids) == 2
        again = sync(folder)
        assert (again["jobs"], again["unchanged"]) == ([], 2)

    def test_a_file_that_is_ignored_from_now_on_is_removed_though_it_is_there(
        self, sync: Callable[..., Any], citegraph: Call, home: Home, folder: Path
    ) -> None:
        sync(folder)
        (folder / ".citegraphignore").write_text("one.txt\n")
        assert [document["source_uri"] for document in sync(folder)["removed"]] == ["file:papers/one.txt"]
        assert len(_documents(citegraph)) == 2


class Killed(BaseException):
    """The process ends here."""


@contextmanager
def working(database: Database, settings: Settings) -> Iterator[None]:
    """Run jobs as they come, as a worker does."""
    done = threading.Event()

    def work() -> None:
        while not done.wait(0.05):
            make_runner(database, settings).drain()

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        done.set()
        worker.join()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(6))
def test_what_changes_under_a_watcher_that_is_killed_follows(
    citegraph: Call,
    database: Database,
    settings: Settings,
    home: Home,
    way: str,
    folder: Path,
    seed: int,
) -> None:
    """Random acts while it runs, SIGKILL at any moment and another one in its place."""
    drawn = random.Random(seed)
    pasts: list[Path] = []
    (folder.parent / "outside.txt").write_text("Alan Turing founded Bombe Machines.")
    with working(database, settings):
        for _ in range(4):
            with _start_sync(folder, "--watch") as watcher:
                time.sleep(drawn.uniform(1, 4))
                for _ in range(drawn.randint(2, 5)):
                    act_in_folder(folder, drawn, pasts)
                    time.sleep(drawn.uniform(0, 1))
                assert watcher.poll() is None
                watcher.kill()
        _sync_to_the_end(citegraph, folder)
    compare_with_fresh_ingest(citegraph, database, settings, home, folder)


@pytest.mark.slow
@HERE_OR_IN_SOAK_BY_KEY
@pytest.mark.parametrize("seed", sampled(range(12), every=12))
def test_rounds_that_are_killed_are_continued(
    citegraph: Call,
    database: Database,
    settings: Settings,
    home: Home,
    way: str,
    folder: Path,
    seed: int,
) -> None:
    """Random acts before and while it runs, SIGKILL at any moment; the next round goes on (issue 28)."""
    drawn = random.Random(seed)
    pasts: list[Path] = []
    (folder.parent / "outside.txt").write_text("Alan Turing founded Bombe Machines.")
    killed_rounds = 0
    with working(database, settings):
        for _ in range(5):
            for _ in range(drawn.randint(3, 8)):
                act_in_folder(folder, drawn, pasts)
            with _start_sync(folder, "--json") as running_sync:
                with suppress(subprocess.TimeoutExpired):
                    running_sync.wait(drawn.uniform(0.5, 2.5))
                act_in_folder(folder, drawn, pasts)
                running_sync.kill()
            killed_rounds += running_sync.returncode == -signal.SIGKILL
        assert killed_rounds > 0
        _sync_to_the_end(citegraph, folder)
    compare_with_fresh_ingest(citegraph, database, settings, home, folder)


def _start_sync(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    """The command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "app.cli.main", "sync", str(folder), *SYNC_OPTIONS, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _sync_to_the_end(citegraph: Call, folder: Path) -> None:
    """A round over a folder that nobody changes, which may name files that it cannot read."""
    remove_unreadable(folder)
    result = citegraph("sync", folder, *SYNC_OPTIONS)
    assert not result.exit_code or "Skipped" in result.stderr, result.stderr


@pytest.mark.slow
@HERE_OR_IN_SOAK_BY_KEY
@pytest.mark.parametrize("seed", sampled(range(60), every=60))
def test_random_acts_end_in_what_a_fresh_ingest_makes(
    sync: Callable[..., Any],
    citegraph: Call,
    database: Database,
    settings: Settings,
    home: Home,
    way: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    """Add, change, rename, remove, revert, and a kill after any step of a round; the last round goes on."""
    drawn = random.Random(seed)
    pasts: list[Path] = []
    (folder.parent / "outside.txt").write_text("Alan Turing founded Bombe Machines.")

    def lenient_sync() -> None:
        """A round, which may name files that it cannot read."""
        result = citegraph("sync", folder, "--space", "library", "--yes", "--allow-empty", "--json")
        assert result.stdout, (result.stderr, result.exception)
        answer = json.loads(result.stdout)
        has_failed = any(job["counts"].get("failed_documents") for job in answer["jobs"])
        is_any_unread = any(file["code"] != "empty_document" for file in answer["skipped"])
        assert result.exit_code == (1 if is_any_unread or has_failed else 0), result.stderr

    for step in range(12):
        for _ in range(drawn.randint(1, 3)):
            act_in_folder(folder, drawn, pasts)
        if step % 3 == 2:
            with monkeypatch.context() as patch, suppress(Killed):
                _kill_in(patch, drawn, DatabaseTarget if way == "database" else ServerTarget)
                citegraph("sync", folder, "--space", "library", "--yes")
        else:
            lenient_sync()
    remove_unreadable(folder)
    lenient_sync()
    compare_with_fresh_ingest(citegraph, database, settings, home, folder)


def compare_with_fresh_ingest(
    citegraph: Call, database: Database, settings: Settings, home: Home, folder: Path
) -> None:
    """Read the folder into the space of another tenant: both say the same."""
    if not text_files(folder):
        (folder / "last.txt").write_text("Ada Lovelace met Zuse.")
        citegraph("sync", folder, "--space", "library", "--yes")
        make_runner(database, settings).drain()
    fresh = make_home(database, "tenant-fresh")
    of_tenant = ("--server", "", "--tenant", "tenant-fresh")
    citegraph("ingest", folder, "--space", "library", *of_tenant, "--json")
    make_runner(database, settings).drain()
    assert exported(database, home) == exported(database, fresh)


def _kill_in(patch: pytest.MonkeyPatch, drawn: random.Random, target: type) -> None:
    """The next round ends before or after one of its steps."""
    step = drawn.choice(["move_documents", "submit_batch", "await_jobs", "remove_document"])
    owner = command if step == "await_jobs" else target
    original, late = getattr(owner, step), drawn.random() < 0.5

    def killed(*arguments: Any, **options: Any) -> Any:
        if late:
            original(*arguments, **options)
        raise Killed

    patch.setattr(owner, step, killed)


def _documents(citegraph: Call) -> Any:
    return read_json(citegraph("documents", "list", "--space", "library", "--json"))
