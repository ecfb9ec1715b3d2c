"""Which folder the embedded servers keep their data in, from whatever directory one asks (review C4)."""

from pathlib import Path

import pytest

from app.errors import ConfigurationError
from app.runtime.data_folder import (
    find_data_folder,
    get_user_folder,
    link_user_folder_to_data_folder,
    lock_data_folder,
)


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own folder, which does not exist yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path / "share" / "citegraph"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A directory with data of its own, as all had it before."""
    (tmp_path / "checkout" / ".citegraph" / "postgres").mkdir(parents=True)
    (tmp_path / "checkout" / "docs" / "images").mkdir(parents=True)
    return tmp_path / "checkout"


def test_the_chosen_folder_comes_before_all(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    assert find_data_folder(Path("chosen")) == checkout / "chosen"


@pytest.mark.parametrize("below", [".", "docs", "docs/images"])
def test_data_in_a_directory_is_found_there_and_below(
    checkout: Path, below: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout / below)
    assert find_data_folder(None) == checkout / ".citegraph"


def test_elsewhere_it_is_the_users_own(tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert find_data_folder(None) == own


def test_an_empty_folder_of_that_name_and_one_of_another_user_do_not_count(
    tmp_path: Path, own: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty" / ".citegraph").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "empty")
    assert find_data_folder(None) == own
    monkeypatch.chdir(checkout)
    monkeypatch.setattr("os.geteuid", lambda: (checkout.stat().st_uid or 1) + 1)
    assert find_data_folder(None) == own


def test_old_data_that_was_used_is_found_from_everywhere_afterwards(
    tmp_path: Path, own: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout)
    link_user_folder_to_data_folder(find_data_folder(None), None)
    monkeypatch.chdir(tmp_path)
    assert find_data_folder(None) == checkout / ".citegraph"
    # A second checkout does not take its place, and a chosen folder never does.
    (tmp_path / "other" / ".citegraph" / "postgres").mkdir(parents=True)
    link_user_folder_to_data_folder(tmp_path / "other" / ".citegraph", None)
    assert find_data_folder(None) == checkout / ".citegraph"
    (checkout / ".citegraph").rename(tmp_path / "gone")
    link_user_folder_to_data_folder(tmp_path / "chosen", tmp_path / "chosen")
    # What was linked is gone: the folder is the user's own again, until another is remembered.
    assert find_data_folder(None) == own
    link_user_folder_to_data_folder(tmp_path / "other" / ".citegraph", None)
    assert find_data_folder(None) == tmp_path / "other" / ".citegraph"


def test_the_users_own_data_stays_the_users(
    tmp_path: Path, own: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.mkdir(parents=True)
    link_user_folder_to_data_folder(checkout / ".citegraph", None)
    monkeypatch.chdir(tmp_path)
    assert find_data_folder(None) == own
    assert not own.is_symlink()


@pytest.mark.parametrize("share", ["", "relative/path"])
def test_without_a_folder_for_data_it_is_that_of_the_platform(
    share: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", share)
    monkeypatch.setenv("HOME", "/users/ada")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("sys.platform", "linux")
    assert get_user_folder() == Path("/users/ada/.local/share/citegraph")
    monkeypatch.setattr("sys.platform", "darwin")
    assert get_user_folder() == Path("/users/ada/Library/Application Support/Citegraph")
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert get_user_folder() == Path("/var/lib/citegraph")


def test_one_folder_is_up_once(tmp_path: Path) -> None:
    with lock_data_folder(tmp_path), pytest.raises(ConfigurationError, match="runs on the data in"):
        lock_data_folder(tmp_path).__enter__()
    with lock_data_folder(tmp_path):
        pass
