"""Words beside quotation marks, dashes and other marks beyond ASCII are found as words.

In the locale C, which the embedded Postgres has, its reader of texts takes every character beyond ASCII for a letter: of
“Blue Bridge” the words were “Blue and Bridge”, and nobody who asks for Blue Bridge found them. `search_text` now makes such
marks white space, an apostrophe and a hyphen those of ASCII, and takes out what is not seen at all. Chunks that hold
characters beyond ASCII get their words anew.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0051"
down_revision: str | None = "0050"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

BEYOND_ASCII = r"[\u0080-\uffff\U00010000-\U0010ffff]"
# As of migration 0029: ideographs with their marks of repetition, kana, and Hangul in syllables.
UNSPACED = r"\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
# Of Latin-1; Greek, Armenian, Hebrew, Arabic, Indic, Burmese, Ethiopic and Khmer; general, symbols, CJK, wide; pictures.
MARKS = (
    r"\u0080-\u00a9\u00ab\u00ac\u00ae-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"
    r"\u037e\u0387\u055a-\u055f\u0589\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965"
    r"\u104a-\u104f\u1361-\u1368\u17d4-\u17da"
    r"\u2000-\u200a\u2012-\u2018\u201a-\u205f\u20a0-\u20cf\u2190-\u245f\u2500-\u2bff\u2e00-\u2e7f"
    r"\u3000-\u3004\u3008-\u3020\u3030\u303d\u30fb\uff01-\uff06\uff08-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
    r"\U0001f000-\U0001faff"
)
PLAIN = rf"""
regexp_replace(
    translate(body, U&'\2019\02BC\FF07\2010\2011\00AD\200B\2060\FEFF', '''''''--'), '[{MARKS}]', ' ', 'g'
)
"""
FOLDED = r"""
replace(replace(replace(
    translate(
        regexp_replace(
            normalize(regexp_replace(
                normalize({body}, NFKD), '[\u0300-\u036f\u0640\u064b-\u065f\u0670]', '', 'g'
            ), NFC),
            '(^|[^\u0621-\u064a])[\u0648\u0628\u0643\u0641]?\u0627\u0644(?=[\u0621-\u064a]{{3}})', '\1', 'g'
        ),
        U&'\0649\0629\00F8\00D8\0142\0141\0111\0110', U&'\064A\0647oOlLdD'
    ),
    U&'\00DF', 'ss'), U&'\00E6', 'ae'), U&'\0153', 'oe')
"""
BEYOND_BEFORE = r"[\u00aa-\u1fff\u2c00-\uffff\U00010000-\U0010ffff]"


def search_text(beyond: str, body: str) -> str:
    """The statement that makes the function for texts with characters `beyond`, read as `body`."""
    return rf"""
CREATE OR REPLACE FUNCTION search_text(body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN body !~ '{beyond}' THEN body ELSE (
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
    FROM regexp_matches({FOLDED.format(body=body)}, '[{UNSPACED}]+|[^{UNSPACED}]+', 'g')
        WITH ORDINALITY AS part (run, place)
) END
"""


BATCH = 1_000
# What is read and what is written apart: a cluster takes no such condition in what it updates.
PART = f"""
SELECT c.knowledge_space_id, c.id, concat(d.title, c.heading_path::text, c.text) ~ '{BEYOND_ASCII}' AS renewed
FROM knowledge_chunk c
JOIN document d ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id
{{beyond}} ORDER BY c.knowledge_space_id, c.id LIMIT {BATCH}
"""
RENEW = """
UPDATE knowledge_chunk c SET lexemes = chunk_lexemes(c.knowledge_space_id, d.title, c.heading_path, c.text)
FROM document d
WHERE c.knowledge_space_id = ANY(CAST(:spaces AS uuid[])) AND c.id = ANY(CAST(:chunks AS uuid[]))
  AND d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id
"""


def upgrade() -> None:
    op.execute(search_text(BEYOND_ASCII, PLAIN))
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
            beyond = "WHERE (c.knowledge_space_id, c.id) > (:space, :chunk)" if after else ""
            given = {"space": after[0], "chunk": after[1]} if after else {}
            rows = op.get_bind().execute(sa.text(PART.format(beyond=beyond)), given).all()
            if not rows:
                return
            renewed = [(space, chunk) for space, chunk, is_beyond in rows if is_beyond]
            if renewed:
                spaces, chunks = zip(*renewed, strict=True)
                values = {"spaces": sorted(set(spaces)), "chunks": list(chunks)}
                op.get_bind().execute(sa.text(RENEW), values)
            after = tuple(rows[-1][:2])


def downgrade() -> None:
    op.execute(search_text(BEYOND_BEFORE, "body"))
    _renew()
