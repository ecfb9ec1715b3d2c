"""The pictures of README and docs/dashboard.md: there, shown, and small enough to load."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURES = sorted((ROOT / "docs" / "images").glob("*.webp"))
MOST_BYTES = 150_000


def test_each_picture_is_shown_and_small() -> None:
    shown = (ROOT / "README.md").read_text("utf-8") + (ROOT / "docs" / "dashboard.md").read_text("utf-8")
    assert len(PICTURES) == 5
    for picture in PICTURES:
        assert f"images/{picture.name}" in shown, picture.name
        assert picture.stat().st_size <= MOST_BYTES, picture.name
        assert picture.read_bytes()[8:12] == b"WEBP"
