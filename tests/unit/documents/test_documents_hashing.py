"""Fingerprints and languages (requirements 2.1 and 2.3)."""

import pytest

from app.documents.hashing import hash_chunk_text, hash_content
from app.documents.language import detect_language


def test_a_content_hash_depends_on_every_part_and_on_where_it_ends() -> None:
    """Requirement 2.3: the same content is recognised, another is not mistaken for it."""
    hashes = {
        hash_content(b"ab"),
        hash_content(b"ab", ""),
        hash_content(b"a", "b"),
        hash_content(b"", "ab"),
        hash_content(b"", "a", "b"),
    }
    assert len(hashes) == 5
    assert hash_content(b"ab", "text") == hash_content(b"ab", "text")
    assert len(hash_content(b"")) == 64


def test_a_chunk_hash_is_of_the_exact_text() -> None:
    assert hash_chunk_text("a b") == "c8687a08aa5d6ed2044328fa6a697ab8e96dc34291e8c2034ae8c38e6fcc6d65"
    assert hash_chunk_text("a  b") != hash_chunk_text("a b")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The engine weaves algebraic patterns just as the loom weaves flowers and leaves.", "en"),
        ("Der Hund läuft über die Straße und bellt laut.", "de"),
        ("Bonjour tout le monde, comment allez-vous aujourd'hui ?", "fr"),
        ("日本語のテキストです。これはとても短い文章です。", "ja"),
        ("Hello", None),
        ("", None),
        ("12345 67890 --- 555", None),
        ("xqzt vvkp wrrt plmm zzzz qqqq", None),
    ],
)
def test_the_language_is_named_only_where_it_is_clear(text: str, language: str | None) -> None:
    assert detect_language(text) == language
