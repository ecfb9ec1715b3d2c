"""Documents that a hostile tenant would hand in, each under the limit of an upload."""

import io
import json
import random
import zipfile
import zlib


def combining(size: int) -> str:
    """A letter with so many bytes of combining marks, in the order that costs normalisation most."""
    return "a" + "\u0315\u0300\u05ae\u0301" * (size // 8)


def pdf(pages: int, line: str, lines: int) -> bytes:
    """A PDF of so many pages that all show one compressed page of text."""
    text = b"BT /F1 9 Tf 12 TL 40 780 Td " + b"".join(
        f"({line} {number}) Tj T*\n".encode() for number in range(lines)
    )
    content = zlib.compress(text + b"ET", 9)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>"
        % (pages, b" ".join(b"%d 0 R" % (5 + number) for number in range(pages))),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(content), content),
    ]
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents 4 0 R>>"
    objects += [page] * pages
    written, places = b"%PDF-1.4\n", []
    for number, object_ in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj%s\nendobj\n" % (number, object_)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        written
        + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        + table
        + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(written))
    )


def docx_bomb(megabytes: int) -> bytes:
    """A DOCX whose one part unpacks to so many megabytes."""
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b"<a>" + b" " * (megabytes << 20) + b"</a>")
    return kept.getvalue()


def csv_rows(rows: int) -> str:
    """A table of so many short rows."""
    return "a,b\n" + "".join(f"{number % 10},x\n" for number in range(rows))


def telling_csv(rows: int) -> str:
    """A table each of whose rows names two things of its own and states a relation between them."""
    return "text\n" + "".join(f"Person Number{n} works for Company Number{n}.\n" for n in range(rows))


def json_keys(keys: int) -> str:
    """An object of so many keys."""
    return json.dumps({f"k{number}": number for number in range(keys)})


def conversation(turns: int) -> str:
    """A conversation of so many turns, as JSON."""
    return json.dumps(
        [{"speaker": f"Speaker {n % 50}", "text": f"Ada Number{n} met Bob Number{n}."} for n in range(turns)]
    )


def long_names(count: int) -> str:
    """Sentences about so many people whose names have about 500 bytes and differ at their end."""
    middle = " ".join(["Aaaaaaaaa"] * 48)
    return "\n\n".join(f"{middle} Number{n} founded {middle} Company{n}." for n in range(count))


def aliases(count: int) -> str:
    """So many names that all may stand for one: each has the same words, in part, and a short form."""
    random.seed(7)
    words = ["Alpha", "Beta", "Gamma", "Delta", "Omega", "Sigma", "Kappa", "Lambda"]
    lines = []
    for number in range(count):
        name = " ".join(random.sample(words, 5))
        short = "".join(word[0] for word in name.split())
        lines.append(f"{name} Institute ({short}), also known as {name}, works for {name} Group {number}.")
    return "\n\n".join(lines)


def backtracking(size: int) -> dict[str, str]:
    """Texts of about this size that trouble patterns with repetitions within repetitions."""
    units = {
        "capitals": "Aa " * 1, "ands": "Aa and ", "commas": "Aa, ", "brackets": "((((", "quotes": '"\'"\'',
        "stops": "....", "hyphens": "a-", "one_word": "a", "of_the": "Of the Of ", "initials": "A. B. ",
        "newlines": "\n", "spaces": "   ", "pipes": "|a", "hashes": "# ", "stars": "*_", "ticks": "`",
        "links": "[a](", "quotes_deep": "> ", "lists": "- ", "entities": "&amp", "possessive": "Aa's ",
        "numbers": "1,", "marks": "!?", "also_known": "Aa (Bb) ", "semicolons": "Aa; ",
    }  # fmt: skip
    return {name: unit * (size // len(unit)) for name, unit in units.items()}


def table(columns: int, rows: int) -> str:
    """A Markdown table of that size."""
    line = "|" + "|".join(f"Cell {n}" for n in range(columns)) + "|\n"
    return line + "|" + "---|" * columns + "\n" + line * rows


def deep(levels: int) -> str:
    """Markdown nested so deep, as quotes, lists and emphasis."""
    quoted = "".join("> " * n + "a\n" for n in range(1, min(levels, 500)))
    listed = "".join("  " * n + "- a\n" for n in range(1, min(levels, 500)))
    return quoted + listed + "*" * levels + "a" + "*" * levels + "\n" + "[" * levels + "a" + "]" * levels


def hostile_unicode(size: int) -> str:
    """Bidirectional controls, joined emoji, ligatures that grow under NFKC, and letters outside the basic
    plane.
    """
    units = (
        "\u202eabc\u202c \U0001f468\u200d\U0001f469\u200d\U0001f467 \ufdfa\ufdfa \U00010400\U00010401"
        " I\u0307stanbul \u1e9e "
    )
    return units * (size // len(units.encode()))
