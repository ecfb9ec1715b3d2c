"""Generated texts: true sentences about a few names, so that documents meet, contradict and take back.

Pieces of the example corpus, and of wild pages where CITEGRAPH_WILD_PAGES names files of them, stand between
the sentences: what no grammar would write.
"""

import gzip
import json
import os
import random
import re
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

CORPUS = Path(__file__).resolve().parents[2] / "examples" / "corpus"
PEOPLE = ("Nadia Sorel", "Tomas Berg", "Ines Okafor", "Ruben Vale", "N. Sorel", "Mara Lindqvist")
FIRMS = ("Quellmark", "Osterby Labs", "Osterby Laboratories", "Fennick Group", "Tellin AG", "Tellin")
PRODUCTS = ("Brindle", "Corvex", "Lumen", "Brindle Server")
CITIES = ("Oslo", "Porto", "Ghent", "Turin")
YEARS = ("2019", "2021", "2023")

person, firm = st.sampled_from(PEOPLE), st.sampled_from(FIRMS)
product, city, year = st.sampled_from(PRODUCTS), st.sampled_from(CITIES), st.sampled_from(YEARS)

_PATTERNS = st.one_of(
    st.builds("{0} works for {1}.".format, person, firm),
    st.builds("{0} founded {1}.".format, person, firm),
    st.builds("{0} is located in {1}.".format, firm, city),
    st.builds("{0} lives in {1}.".format, person, city),
    st.builds("{0} was born in {1} in {2}.".format, person, city, year),
    st.builds("{0} owns {1}.".format, firm, product),
    st.builds("{0} acquired {1} in {2}.".format, firm, firm, year),
    st.builds("{0} uses {1}.".format, product, product),
    st.builds("{0} was created by {1}.".format, product, person),
    st.builds("{0} depends on {1}.".format, product, product),
    st.builds("{0} does not own {1}.".format, firm, product),
    st.builds("{0} no longer works for {1}.".format, person, firm),
    st.builds("{0} worked for {1} until {2}.".format, person, firm, year),
    st.builds("{0} married {1}.".format, person, person),
    st.builds("{0} has {1} employees.".format, firm, st.sampled_from(("40", "350", "1,200"))),
    st.builds("{0} ({1}) makes {2}.".format, firm, st.sampled_from(("FG", "OL")), product),
)
sentences = st.lists(_PATTERNS, min_size=1, max_size=5)
undated_sentences = st.lists(
    st.one_of(
        st.builds("{0} works for {1}.".format, person, firm),
        st.builds("{0} is located in {1}.".format, firm, city),
        st.builds("{0} owns {1}.".format, firm, product),
        st.builds("{0} uses {1}.".format, product, product),
        st.builds("{0} was created by {1}.".format, product, person),
        st.builds("{0} does not own {1}.".format, firm, product),
        st.builds("{0} knows {1}.".format, person, person),
    ),
    min_size=1,
    max_size=4,
)


@cache
def wild_pieces() -> tuple[str, ...]:
    """Paragraphs of real texts, at most 400 characters each."""
    texts = [path.read_text("utf-8") for path in sorted(CORPUS.iterdir()) if path.suffix != ".html"]
    for name in filter(None, os.environ.get("CITEGRAPH_WILD_PAGES", "").split(os.pathsep)):
        with gzip.open(name, "rt", encoding="utf-8") as file:
            texts += [page["text"] for page in _pages_of(json.load(file))]
    paragraphs = [paragraph.strip() for text in texts for paragraph in re.split(r"\n\s*\n", text)]
    pieces = sorted({paragraph[:400] for paragraph in paragraphs if len(paragraph) > 40})
    random.Random(22).shuffle(pieces)
    return tuple(pieces)


def _pages_of(loaded: object) -> list[dict[str, str]]:
    """The objects of a file of pages that have a text, whatever stands around them."""
    if isinstance(loaded, dict):
        own = [loaded] if isinstance(loaded.get("text"), str) else []
        return own + [page for value in loaded.values() for page in _pages_of(value)]
    if isinstance(loaded, list):
        return [page for value in loaded for page in _pages_of(value)]
    return []


_MARKS = ("---", "# Notes", "马云创立了阿里巴巴。", "🧪 ok\u0301", "> quoted: yes:")


@st.composite
def _bodies(draw: st.DrawFn) -> str:
    parts = [" ".join(draw(sentences))]
    if draw(st.booleans()):
        parts.append(draw(st.sampled_from(wild_pieces())))
    return "\n\n".join([*parts, *draw(st.lists(st.sampled_from(_MARKS), max_size=2))])


bodies = _bodies()
"""What a document says, without its canary."""
dates = st.sampled_from((None, None, "2020-03-01", "2022-06-15", "2024-01-09"))


def canary_word(number: int) -> str:
    """A word that stands in one version of one document and nowhere else; none is part of another."""
    letters = ""
    for _ in range(4):
        number, digit = divmod(number, 17)
        letters += "bcdfghjklmnprstvw"[digit]
    return f"Zyx{'o'.join(letters)}ax"


def with_canary(body: str, canary: str) -> str:
    """The body with two claims about a thing that only this version names."""
    return f"{canary} Corporation owns Brindle. Ruben Vale works for {canary} Corporation.\n\n{body}"
