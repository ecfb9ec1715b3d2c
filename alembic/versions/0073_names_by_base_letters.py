"""Names are compared by sound without strokes and ligatures: "Sokołowsko" is found as a misspelt "Sokolowsko".

`spelling_key` folds letters as `replace_by_base_letters` of the application does; the letters are listed, since those that Python knows
differ with its version. A migration of its own, because it commits in steps and may be started again.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0073"
down_revision: str | None = "0072"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# Accents of all scripts, and points of Hebrew and Arabic. A virama, a nukta and the voicing mark of kana stay.
MARKS = (
    r"\u0300-\u034e\u0350-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7"
    r"\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7-\u06e8\u06ea-\u06ed\u0711"
    r"\u0730-\u074a\u07eb-\u07f3\u07fd\u0816-\u0819\u081b-\u0823\u0825-\u0827\u0829-\u082d"
    r"\u0859-\u085b\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff\u0951-\u0954\u09fe\u0f18-\u0f19\u0f35\u0f37"
    r"\u0f39\u0f82-\u0f83\u0f86-\u0f87\u0fc6\u108d\u135d-\u135f\u17dd\u18a9\u1939-\u193b\u1a17-\u1a18"
    r"\u1a75-\u1a7c\u1a7f\u1ab0-\u1abd\u1abf-\u1ace\u1b6b-\u1b73\u1cd0-\u1cd2\u1cd4-\u1ce0"
    r"\u1ce2-\u1ce8\u1ced\u1cf4\u1cf8-\u1cf9\u1dc0-\u1dff\u20d0-\u20dc\u20e1\u20e5-\u20f0\u2cef-\u2cf1"
    r"\u2de0-\u2dff\u302a-\u302f"
)
# Letters without a decomposition by their base letter. Of "ae" the first is enough: the sound of the second is left out.
BASE_LETTERS = {
    "a": "ÆæȺᶏꜲꜳꜴꜵꜶꜷꜼꜽ",
    "b": "ƀƁƂƃɃɓᵬᶀꞖꞗ",
    "c": "ƇƈȻȼɕꞒꞓꞔꟄ",
    "d": "ÐðĐđƊƋƌȡɖɗᵭᶁᶑꟇꟈ",
    "e": "Ɇɇᶒ",
    "f": "ƑƒᵮᶂꞘꞙ",
    "g": "ƓǤǥɠᶃꞠꞡ",
    "h": "ĦħɦꞕꞪ",
    "i": "ıƗɨᶖ",
    "j": "ȷɈɉɟʄʝꞲ",
    "k": "ƘƙᶄꝀꝁꝂꝃꝄꝅꞢꞣ",
    "l": "ŁłƚȴȽɫɬɭᶅꝈꝉꞎꞭ",
    "m": "ɱᵯᶆ",
    "n": "ƝƞȠȵɲɳᵰᶇꞐꞑꞤꞥ",
    "o": "ØøŒœƟƢƣȢȣꝊꝋꝌꝍꝎꝏ",
    "p": "ƤƥᵱᵽᶈꝐꝑꝒꝓꝔꝕ",
    "q": "ɋʠꝖꝗꝘꝙ",
    "r": "ɌɍɼɽɾᵲᵳᶉꞦꞧ",
    "s": "ȿʂᵴᶊꞨꞩꟅꟉꟊ",
    "t": "ÞþŦŧƫƬƭƮȶȾʈᵵᵺ",
    "u": "ᵫᶙꞸꞹ",
    "v": "ƲʋᶌꝞꝟꝠꝡ",
    "x": "ᶍ",
    "y": "ƳƴɎɏỾỿ",
    "z": "ƵƶȤȥɀʐʑᵶᶎꟆ",
}
PAIRS = {
    "av": "ꜸꜹꜺꜻ",
    "et": "Ꝫꝫ",
    "hv": "ƕ",
    "is": "Ꝭꝭ",
    "ss": "ßẞ",
    "tz": "Ꜩꜩ",
    "um": "ꝸ",
}
# As in migration 0028, but for the letters.
SPELLING_KEY = r"""
CREATE OR REPLACE FUNCTION spelling_key(name text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN left(regexp_replace(
    translate(
        initcap({folded} COLLATE "C"),
        'CQZbfpvcgjkqsxzdtlmnraeiouyhw', 'KKSppppkkkkkkkkttlnnr'
    ),
    '([a-z])\1+', '\1', 'g'
), 80)
"""
FOLDED_BEFORE = r"regexp_replace(normalize(lower(left(name, 200)), NFKD), '[\u0300-\u036f]', '', 'g')"
BATCH = 1_000
KEY = "knowledge_space_id, normalised_name, node_id"
# Names in ASCII have the key that they had.
STALE = rf"""
SELECT {KEY} FROM node_name
WHERE normalised_name ~ '[^\u0001-\u007f]' AND spelling_key IS DISTINCT FROM public.spelling_key(normalised_name) {{beyond}}
ORDER BY {KEY} LIMIT {BATCH}
"""
RENEW = f"""
UPDATE node_name SET spelling_key = public.spelling_key(normalised_name) WHERE ({KEY}) = (:space, :name, :node)
"""


def fold() -> str:
    """Return the SQL expression of the name with base letters."""
    folded = f"regexp_replace(normalize(lower(left(name, 200)), NFKD), '[{MARKS}]', '', 'g')"
    letters = "".join(BASE_LETTERS.values())
    bases = "".join(base * len(group) for base, group in BASE_LETTERS.items())
    folded = f"translate({folded}, '{letters}', '{bases}')"
    for pair, group in PAIRS.items():
        for letter in group:
            folded = f"replace({folded}, '{letter}', '{pair}')"
    return folded


def upgrade() -> None:
    op.execute(SPELLING_KEY.format(folded=fold()))
    renew_keys()


def renew_keys() -> None:
    """Renew the keys in steps of their own: writers wait for a thousand rows at most.

    A host's login that row security holds for does it in one transaction, in which the table's owner sees all rows.
    """
    op.execute("SET LOCAL row_security = on")
    bound = op.get_bind().exec_driver_sql("SELECT row_security_active('node_name')").scalar_one()
    op.execute("SET LOCAL row_security = off")
    if bound:
        op.execute("ALTER TABLE node_name NO FORCE ROW LEVEL SECURITY")
        renew_stale_keys()
        op.execute("ALTER TABLE node_name FORCE ROW LEVEL SECURITY")
        return
    with op.get_context().autocommit_block():
        # Waits for those who write names with keys of the function before.
        op.execute("DO 'BEGIN LOCK TABLE node_name IN SHARE MODE; END'")
        renew_stale_keys()


def renew_stale_keys() -> None:
    after: tuple[object, ...] | None = None
    while True:
        beyond = f"AND ({KEY}) > (:space, :name, :node)" if after else ""
        last_key = dict(zip(("space", "name", "node"), after, strict=True)) if after else {}
        rows = op.get_bind().execute(sa.text(STALE.format(beyond=beyond)), last_key).all()
        if not rows:
            return
        op.get_bind().execute(
            sa.text(RENEW), [{"space": space, "name": name, "node": node} for space, name, node in rows]
        )
        after = tuple(rows[-1])


def downgrade() -> None:
    op.execute(SPELLING_KEY.format(folded=FOLDED_BEFORE))
    renew_keys()
