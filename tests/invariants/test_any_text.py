"""Whatever stands in a text, it is read to its end, and all of it (requirements 18.1, 18.2 and 18.5)."""

from collections.abc import Mapping

import pytest

from app.extraction.rules.document_words import DocumentWords
from app.extraction.rules.names.reader_names import ReaderName
from app.extraction.rules.names.spans import Span, find_spans
from app.extraction.rules.sentences import Sentence
from tests.support.any_text import AnyText, any_text, finding_of, findings
from tests.support.sampling import sampled
from tests.support.wild_pages import LONGEST_SECONDS, PACKS, given_packs, pages_of, read_page, report

FIRST_SEED, TEXTS, PARTS = 22_000, 10_000, 20


@pytest.mark.soak
@pytest.mark.slow
@pytest.mark.parametrize("part", sampled(range(PARTS), every=PARTS))
def test_joined_pieces_are_read_to_their_end(part: int) -> None:
    """Review A1 to A4: what failed resembled no scenario. `make soak-texts` goes on for hours."""
    begin = FIRST_SEED + part * TEXTS // PARTS
    found = [
        finding for _, finding in findings(iter(range(begin, begin + TEXTS // PARTS))) if finding is not None
    ]
    assert not found, "\n\n".join(f"{finding.script()}\n{finding.trace}" for finding in found)


def test_the_same_seed_gives_the_same_text_and_most_are_read() -> None:
    assert any_text(5) == any_text(5)
    assert len({any_text(seed).text for seed in range(50)}) == 50


def test_a_finding_is_made_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fuzzer itself: a fault in the reader is found, and its text cut down to what brings it about."""

    def faulty(sentence: Sentence, known: DocumentWords, names: Mapping[int, ReaderName]) -> list[Span]:
        if "quux" in sentence.lower:
            raise IndexError
        return find_spans(sentence, known, names)

    monkeypatch.setattr("app.extraction.rules.document_entities.find_spans", faulty)
    said = "Ann Lee met Bob Ray.\n\nHe said quux to her. She left.\n\nThe end."
    finding = finding_of(AnyText("Title", said, "text"))
    assert finding is not None
    assert (finding.text.title, finding.text.text, finding.cause[0]) == ("", "quux", "IndexError")
    assert repr("quux") in finding.script()


@pytest.mark.slow
@pytest.mark.skipif(not given_packs(), reason=f"{PACKS} names no packs of pages")
def test_every_page_of_the_given_packs_is_read() -> None:
    """Review A2, A4: no page fails, and none takes over 5 seconds of processor a million characters."""
    times = [read_page(page) for path in given_packs() for page in pages_of(path)]
    assert not [time_ for time_ in times if time_.error], report(times)
    assert max(time_.seconds * min(1.0, 1e6 / len(time_.page.text)) for time_ in times) < LONGEST_SECONDS, (
        report(times)
    )
