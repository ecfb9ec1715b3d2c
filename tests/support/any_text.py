"""Texts that nobody would write, made of pieces that somebody wrote; and what makes reading them fail.

Titles × legal forms × punctuation × abbreviations × scripts × markup, and sentences of the example corpus,
and of the packs that CITEGRAPH_WILD_PAGES names, cut at any word, shuffled and spliced. The same seed gives
the same text.
"""

import random
import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice

from app.documents.sentences import split_sentences
from app.errors import CitegraphError
from tests.support.ingest import CORPUS
from tests.support.rules_reading import assert_whole, processor_seconds, read_by_rules
from tests.support.wild_pages import given_packs, pages_of

SECONDS = 5
"""What one text may take of a processor."""
# While a text is made short: one that hangs is tried often.
_SHORTENING_SECONDS = 0.5
_PAGES = 40
_NAMES = """
    Apple Siemens|Acme Labs|Mt. Fuji|St. Gallen|Ann Lee|Bob Ray Jr.|Dr. Eva Stone|O'Neil & Sons
    |New York|3M|pgvector|University of Oslo|Karl, Duke of Oss|The New York Times|Kim Jong - un
    |Schleswig- Holstein|“Zen”|iPhone|C++|Ch.|阿里巴巴|Газпром|Ελλάδα|שלום|مصر|Łódź|İstanbul|ﬁrm|Ａcme
    |Straße|e\u0301clair|🙂 Inc|X|US|I|II|No|A. B. C.|root@1|@0
""".replace("\n", " ").split("|")
_FORMS = [
    "",
    "",
    " Inc.",
    ", Inc.",
    " AG",
    " GmbH & Co. KG",
    " Ltd",
    " plc",
    " S.A.",
    " Corp.:",
    " Co",
    " (LLC)",
    " Bros.",
]
_MARKS = [
    *".:;,!?…—–-()[]{}\"'“”‘’«»|/\\*_#>~`@&%$^+=<",
    *("...", "--", "''", "``", "'s", "’s", ". (", '. "', "No. ", "p. "),
]
_WORDS = """
    is was founded owns acquired married works for of the a an in at by who which and or but not no
    longer until since also known as renamed to from his her its their wife son CEO former ex-head
    née born died in 2010 on 3 May may (born 1950) between sold left joined said that it is not true
    the company they both population was 900 inhabitants
""".split()  # noqa: SIM905
_LINES = [
    "# {}", "- {}", "1. {}", "> {}", "| {} | {} |", "|---|---|", "```\n{}", "{}\n===", "{}\n---", "    {}",
    "{}: {}", "[{}](x)", "**{}**", "<b>{}</b>", "<!-- {}", "[^1]: {}", "\t{}", "{} | {}", "---", "$ {}",
    "{}\u2028{}",
]  # fmt: skip
_FORMATS = ["text", "markdown", "markdown", "html"]


@dataclass(frozen=True)
class AnyText:
    """A document to read."""

    title: str
    text: str
    format: str


@dataclass(frozen=True)
class Finding:
    """A text that cannot be read, as short as it could be made, and the trace of what it raised."""

    cause: tuple[str, ...]
    text: AnyText
    trace: str

    def script(self) -> str:
        """A script that repeats the finding."""
        return (
            "from app.documents.shapes import str\n"
            "from tests.support.rules_reading import assert_whole, processor_seconds, read_by_rules\n\n"
            f"title = {self.text.title!r}\ntext = {self.text.text!r}\n"
            f"with processor_seconds({SECONDS}):\n"
            f"    assert_whole(read_by_rules(text.encode(), {self.text.format}, title))\n"
        )


@cache
def sentences() -> tuple[str, ...]:
    """Sentences of real texts, in one line each."""
    texts = [path.read_text("utf-8") for path in sorted(CORPUS.iterdir()) if path.suffix != ".html"]
    for path in given_packs():
        texts += [page.text[:100_000] for page in islice(pages_of(path), _PAGES)]
    found = (" ".join(text[start:end].split()) for text in texts for start, end in split_sentences(text))
    return tuple(dict.fromkeys(sentence for sentence in found if 10 < len(sentence) < 400))


def any_text(seed: int) -> AnyText:
    """The text of this seed."""
    choose = random.Random(seed)
    parts = [_part(choose) for _ in range(choose.randint(1, 14))]
    text = choose.choice(["\n\n", "\n", " ", "\r\n", ""]).join(parts)
    titles: list[Callable[[], str]] = [
        lambda: "", lambda: choose.choice(_NAMES).strip(), lambda: " ".join(parts[0].split()[:3]),
        lambda: choose.choice(sentences())[:80], lambda: text[:70],
    ]  # fmt: skip
    make_title = choose.choice(titles)
    return AnyText(make_title(), text or "x", choose.choice(_FORMATS))


def _part(choose: random.Random) -> str:
    kind = choose.random()
    if kind < 0.45:
        words = choose.choice(sentences()).split()
        first, last = sorted(choose.randrange(len(words) + 1) for _ in range(2))
        cut = [words[:last], words[first:], words[first:last]][choose.randrange(3)]
        if choose.random() < 0.3:
            other = choose.choice(sentences()).split()
            cut += other[choose.randrange(len(other)) :]
        if choose.random() < 0.1:
            choose.shuffle(cut)
        ending: str = choose.choice([*_MARKS, "", ".", "."])
        return " ".join(cut) + ending
    if kind < 0.85:
        pieces = [_piece(choose) for _ in range(choose.randint(1, 12))]
        return "".join(piece if piece in _MARKS else f" {piece}" for piece in pieces).strip()
    line: str = choose.choice(_LINES)
    return re.sub(r"\{\}", lambda _: _piece(choose), line)


def _piece(choose: random.Random) -> str:
    kind = choose.random()
    if kind < 0.4:
        name: str = choose.choice(_NAMES).strip() + choose.choice(_FORMS)
        return choose.choice([name, name, name, name.upper(), name.lower()])
    return choose.choice(_WORDS) if kind < 0.75 else choose.choice(_MARKS)


def cause_of(text: AnyText, seconds: float = SECONDS) -> tuple[tuple[str, ...], str] | None:
    """What reading the text raises, by kind and place, with its trace; None where it is read, or refused."""
    try:
        with processor_seconds(seconds):
            assert_whole(read_by_rules(text.text.encode(), text.format, text.title))
    except CitegraphError:
        return None
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        frames = traceback.extract_tb(error.__traceback__)
        within = [frame for frame in frames if "/app/" in frame.filename] or frames
        place = f"{within[-1].filename.rpartition('/app/')[2]}:{within[-1].name}"
        return (type(error).__name__, place), traceback.format_exc()
    return None


def finding_of(text: AnyText) -> Finding | None:
    """What goes wrong with the text, made as short as it can be; None where it is read."""
    found = cause_of(text)
    if found is None:
        return None
    cause, trace = found
    for cut in (r"(\n\s*\n)", r"(\n)", r"(?<=[.!?])( )", r"(\s+)", "()"):
        pieces = re.split(cut, text.text) if cut != "()" else list(text.text[:200])
        if cut == "()" and len(text.text) > len(pieces):
            break
        at = 0
        while at < len(pieces) and len(pieces) > 1:
            shorter = AnyText(text.title, "".join(pieces[:at] + pieces[at + 1 :]), text.format)
            again = cause_of(shorter, _SHORTENING_SECONDS)
            if again is not None and again[0] == cause:
                pieces.pop(at)
                text, trace = shorter, again[1]
            else:
                at += 1
    for title in ("", " ".join(text.title.split()[:1])):
        again = cause_of(AnyText(title, text.text, text.format), _SHORTENING_SECONDS)
        if again is not None and again[0] == cause:
            return Finding(cause, AnyText(title, text.text, text.format), again[1])
    return Finding(cause, text, trace)


def findings(seeds: Iterator[int]) -> Iterator[tuple[int, Finding | None]]:
    """Each seed with its finding; of one cause the first alone."""
    known: set[tuple[str, ...]] = set()
    for seed in seeds:
        text = any_text(seed)
        found = cause_of(text)
        if found is None or found[0] in known:
            yield seed, None
            continue
        known.add(found[0])
        yield seed, finding_of(text)
