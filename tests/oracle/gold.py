"""What texts say, as annotation: the things they name and the relations they state, each with its quotes."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.documents.parsers.assembly import clean_text
from app.graph.names import clean_name, normalise_name


@dataclass(frozen=True)
class GoldEntity:
    """A thing that a text names; `name` is its fullest name, `others` are further ones in the text.

    `forms` are the words by which the text names it where they are none of these: inflected ones.
    """

    name: str
    type: str
    others: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All its names, the fullest first."""
        return (self.name, *self.others)

    def names_in(self, passage: str) -> tuple[str, ...]:
        """The names that a perfect reader finds for it in the passage; () where it stands nowhere there."""
        words = " ".join(passage.split())
        written = tuple(name for name in self.names if " ".join(name.split()) in words)
        return written or ((self.name,) if any(form in words for form in self.forms) else ())

    def forms_in(self, passage: str) -> tuple[str, ...]:
        """The inflected forms of its name that the passage has."""
        words = " ".join(passage.split())
        return tuple(form for form in self.forms if form in words)

    def is_called(self, name: str) -> bool:
        """Return whether this is one of its names."""
        return _compared(name) in map(_compared, self.names)


def _as_read(text: str) -> str:
    """The text as a parser leaves it for the model, in one line."""
    return " ".join(clean_text(text).split())


def _compared(name: str) -> str:
    return normalise_name(clean_name(name))


@dataclass(frozen=True)
class GoldRelation:
    """A claim between two entities, given by their positions.

    Each of `quotes` is a part of the text that states it, the shortest first. Where the quote does not name
    an end, `source_words` and `target_words` are what stands there for it. `denied_by` are the words that
    deny it, `said_by` those that name who only claims it; without either it is asserted, or only `planned`.
    `valid_from` and `valid_to` are dates, each with the words that it comes from. `role` is what the source
    is where one alone can be it at a time, "" where several can. `changed_by` are the words by which the
    claim takes the place of an earlier one that the text does not name.
    """

    source: int
    relation: str
    target: int
    quotes: tuple[str, ...]
    source_words: str = ""
    target_words: str = ""
    denied_by: str = ""
    said_by: str = ""
    valid_from: tuple[str, str] | None = None
    valid_to: tuple[str, str] | None = None
    planned: bool = False
    role: str | None = None
    changed_by: str = ""

    @property
    def polarity(self) -> str:
        """The side that the text takes."""
        if self.planned:
            return "planned"
        return "denied" if self.denied_by else "reported" if self.said_by else "asserted"

    def quote_in(self, passage: str) -> str | None:
        """The shortest quote that stands in the passage; None where it states the claim nowhere."""
        return next((quote for quote in self.quotes if quote in passage), None)


@dataclass(frozen=True)
class GoldText:
    """A document with all that a perfect reader finds in it."""

    title: str
    text: str
    entities: tuple[GoldEntity, ...]
    relations: tuple[GoldRelation, ...]
    date: str | None = None
    language: str | None = None
    # Relations of the annotation that no quote states in so many words; no part of the gold.
    inferred: int = field(default=0, compare=False)


class GoldLibrary:
    """Finds the text that a passage was cut from."""

    def __init__(self, texts: Sequence[GoldText]) -> None:
        self.texts = tuple(texts)
        self._folded = [_as_read(text.text) for text in texts]

    def of(self, passage: str) -> GoldText | None:
        """The text that holds this passage, but for white space; None for one that nobody annotated."""
        words = _as_read(passage)
        return next(
            (
                text
                for text, folded in zip(self.texts, self._folded, strict=True)
                if words and words in folded
            ),
            None,
        )
