"""Chunks are found by the words of any script: by pairs of characters where no spaces stand between words.

What is indexed and what is asked go through one function, `search_text`. Chinese, Japanese and Korean become pairs of
neighbouring characters; accents and other marks on letters count no more, nor do the article and the vowel signs of
Arabic. Text without such letters is as it was. Chunks that hold such letters get their words anew.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0029"
down_revision: str | None = "0028"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BEYOND_ASCII = r"[\u00aa-\u1fff\u2c00-\uffff\U00010000-\U0010ffff]"
# Ideographs with their marks of repetition, kana, and Hangul in syllables.
UNSPACED = r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
FOLDED = r"""
replace(replace(replace(
    translate(
        regexp_replace(
            normalize(regexp_replace(
                normalize(body, NFKD), '[\u0300-\u036f\u0640\u064b-\u065f\u0670]', '', 'g'
            ), NFC),
            '(^|[^\u0621-\u064a])[\u0648\u0628\u0643\u0641]?\u0627\u0644(?=[\u0621-\u064a]{3})', '\1', 'g'
        ),
        U&'\0649\0629\00F8\00D8\0142\0141\0111\0110', U&'\064A\0647oOlLdD'
    ),
    U&'\00DF', 'ss'), U&'\00E6', 'ae'), U&'\0153', 'oe')
"""
SEARCH_TEXT = rf"""
CREATE FUNCTION search_text(body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN body !~ '{BEYOND_ASCII}' THEN body ELSE (
    SELECT string_agg(
        CASE WHEN part.run[1] ~ '^[{UNSPACED}][{UNSPACED}]' THEN (
            SELECT string_agg(pair.letter || pair.following, ' ' ORDER BY pair.place)
            FROM (
                SELECT each.letter, each.place, lead(each.letter) OVER (ORDER BY each.place) AS following
                FROM unnest(string_to_array(part.run[1], NULL)) WITH ORDINALITY AS each (letter, place)
            ) AS pair WHERE pair.following IS NOT NULL
        ) ELSE part.run[1] END,
        ' ' ORDER BY part.place
    )
    FROM regexp_matches({FOLDED}, '[{UNSPACED}]+|[^{UNSPACED}]+', 'g') WITH ORDINALITY AS part (run, place)
) END
"""
LEXEMES = """
CREATE OR REPLACE FUNCTION chunk_lexemes(space_id uuid, title text, headings text[], body text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    setweight(to_tsvector('pg_catalog.english', {title}), 'A')
    || to_tsvector('pg_catalog.english', {body}) || array_to_tsvector(ARRAY['space:' || space_id::text])
"""
NAMED = "concat_ws(' ', title, array_to_string(headings, ' '))"
BATCH = 1_000
RENEW = f"""
WITH part AS (
    SELECT knowledge_space_id, id FROM knowledge_chunk {{beyond}} ORDER BY knowledge_space_id, id LIMIT {BATCH}
), renewed AS (
    UPDATE knowledge_chunk c SET lexemes = chunk_lexemes(c.knowledge_space_id, d.title, c.heading_path, c.text)
    FROM part, document d
    WHERE (c.knowledge_space_id, c.id) = (part.knowledge_space_id, part.id)
      AND d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id
      AND concat(d.title, c.heading_path::text, c.text) ~ '{BEYOND_ASCII}'
)
SELECT knowledge_space_id, id FROM part ORDER BY knowledge_space_id DESC, id DESC LIMIT 1
"""


def upgrade() -> None:
    op.execute(SEARCH_TEXT)
    op.execute(LEXEMES.format(title=f"search_text({NAMED})", body="search_text(body)"))
    _renew()


def _renew() -> None:
    """In steps of their own: workers wait for a thousand rows at most, never for a table.

    A host's login that row security holds for sees no chunk: there a chunk is found by its words as they were
    until its document is read again.
    """
    sees_all = sa.text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
    if not op.get_bind().execute(sees_all).scalar_one():
        return
    after: tuple[object, ...] | None = None
    with op.get_context().autocommit_block():
        while True:
            beyond = "WHERE (knowledge_space_id, id) > (:space, :chunk)" if after else ""
            given = {"space": after[0], "chunk": after[1]} if after else {}
            last = op.get_bind().execute(sa.text(RENEW.format(beyond=beyond)), given).one_or_none()
            if last is None:
                return
            after = tuple(last)


def downgrade() -> None:
    op.execute(LEXEMES.format(title=NAMED, body="body"))
    op.execute("DROP FUNCTION search_text(text)")
