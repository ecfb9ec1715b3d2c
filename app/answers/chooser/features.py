"""What a sentence has to do with a question, as numbers that name no language's words; pure.

Words are held against texts by runs of their letters, so that forms of one word meet; how much a word counts
is told by the sentences at hand: the fewer hold it, the more.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.scoring.keywords import count_unspaced, pairs_of, related_to

Floats = npt.NDArray[np.float64]
KINDS = ("number", "year", "name")
"""Kinds of answers that a question may ask for."""
FEATURES = (
    "said", "said_exactly", "said_largely", "said_around", "said_by_passage", "said_by_title",
    "said_with_title", "said_before", "said_after", "of_most_said", "ahead_of_others", "most_said",
    "names_said", "names_by_passage", "names_by_title", "names_before", "others_said", "others_ahead",
    "rarest_missing", "rarest_missing_in_passage", "rare_said", "said_nowhere", "rarest_nowhere",
    "pairs_said", "longest_run", "said_of_sentence", "place", "first_of_passage", "rank", "walk",
    "walk_ahead",
    "overlap", "passage_of_best", "length", "words", "question_words", "unspaced", "cased",
    "numbers_asked", "numbers_said", "numbers_by_passage", "new_numbers", "new_years", "new_names",
    "starts_with_new_name", "other_script", "quoted", "brackets", "lists",
    "asks_number", "asks_year", "asks_name", "number_as_asked", "year_as_asked", "name_as_asked",
    "time_asked", "time_said", "time_within", "time_since", "time_latest", "time_carried", "time_beyond",
    "anchors", "anchors_said", "anchors_by_passage", "anchors_by_title", "claims", "claims_of_anchor",
    "claims_of_two",
    "stated", "unknown_names", "begins_asked", "ends_asked",
)  # fmt: skip
"""The names of the columns."""
_MARKS = "".join(
    each for each in map(chr, range(0x0300, 0x3100)) if unicodedata.category(each).startswith("M")
)
_WORD = re.compile(rf"[\w{_MARKS}]+")
_COMBINING = re.compile(f"[{''.join(each for each in _MARKS if unicodedata.combining(each))}]+")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_NUMBER = re.compile(r"\d+")
_CAPITAL = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-z]{2,}")
_FIRST_YEAR, _LAST_YEAR = 1000, 2100
_GRAM, _SHORT_GRAM = 4, 3
_RARE = 3
LIKELY = 0.6
"""Share of a word's runs of letters from which a text holds the word in some form."""
SPOKEN = 0.5
"""Share of them from which a text holds a word of a name in another script than Latin."""
RELATED_SHARE = 0.7
"""Worth of a word that says in another way what was asked ("married" for "wife"), beside the word itself."""
MOST = 20
"""Sentences, those that say most of the question, of which one is chosen."""


@dataclass(frozen=True, slots=True)
class Choosable:
    """A sentence that may answer; `source` is the place of its passage among the passages, from 0.

    `claims` are how many claims rest on it, `of_anchor` how many of them are about a thing asked about and
    `of_two` between two of those. `stated` says that a claim is what was asked for.
    """

    text: str
    source: int
    claims: int = 0
    of_anchor: int = 0
    of_two: int = 0
    stated: bool = False


@dataclass(frozen=True, slots=True)
class ChoosablePassage:
    """A passage with its title and what ranked it: its score, 0 to 1 of the best, and its likeness."""

    text: str
    title: str
    walk: float = 0.0
    overlap: float = 0.0


def folded(text: str) -> str:
    """The text in lower case without accents, between spaces; what is no letter or digit is a space."""
    plain = text.casefold()
    if not text.isascii():
        plain = _COMBINING.sub("", unicodedata.normalize("NFKD", plain))
    return f" {' '.join(_WORD.findall(plain.replace('_', ' ')))} "


def words_of_question(question: str) -> list[tuple[str, bool]]:
    """The words of a question, each once and folded, and whether it is written as a name or number.

    Of scripts without spaces each two neighbouring characters are a word.
    """
    found: dict[str, bool] = {}
    for place, match in enumerate(_WORD.finditer(unicodedata.normalize("NFKC", question))):
        word = match[0]
        named = any(map(str.isdigit, word)) or (place > 0 and word[0].isupper())
        for part in pairs_of(word):
            for each in folded(part).split():
                found[each] = found.get(each, False) or named
    return list(found.items())


def tokens_of_question(question: str) -> list[str]:
    """By what the kind of answer asked for is told: words, and of scripts without spaces runs of one to
    three characters.
    """
    found: dict[str, None] = {}
    for word in folded(question).split():
        if count_unspaced(word):
            for length in (1, 2, 3):
                found |= dict.fromkeys(word[at : at + length] for at in range(len(word) - length + 1))
        else:
            found[word] = None
    return list(found)


def _units(word: str) -> list[str]:
    if count_unspaced(word):
        return [word]
    if len(word) < _GRAM:
        return [f" {word} "]
    size = _GRAM if word[0].upper() != word[0] else _SHORT_GRAM
    padded = f" {word}"
    return [padded[at : at + size] for at in range(len(padded) - size + 1)]


def _years(text: str) -> list[int]:
    return [year for each in _YEAR.findall(text) if _FIRST_YEAR <= (year := int(each)) <= _LAST_YEAR]


def speaks_of(name: str, texts: Sequence[str]) -> bool:
    """Return whether one of these folded texts holds each word of a name.

    In Latin script it may go on ("Larkfield's"), in others stand in another form: names are inflected there.
    """
    words = [word for word, _ in words_of_question(name)]
    return any(all(_stands_in(word, text) for word in words) for text in texts if words)


def _stands_in(word: str, text: str) -> bool:
    if word.isascii():
        return f" {word}" in text
    units = _units(word)
    return sum(unit in text for unit in units) >= SPOKEN * len(units)


def features(
    question: str,
    sentences: Sequence[Choosable],
    passages: Sequence[ChoosablePassage],
    *,
    names: Sequence[str],
    unknown_share: float,
    kinds: Callable[[Sequence[str]], Sequence[float]],
) -> tuple[npt.NDArray[np.int64], Floats]:
    """The places of the sentences that may answer, at most `MOST`, and a row for each of them.

    The columns are `FEATURES`; `kinds` tells by the question's tokens which kinds of answer it asks for.
    """
    words = words_of_question(question) or [("", False)]
    every, sources = len(sentences), np.array([each.source for each in sentences])
    plain = [folded(each.text) for each in sentences]
    titles = [folded(each.title) for each in passages]
    units = [_units(word) for word, _ in words]
    starts = np.cumsum([0, *map(len, units)])[:-1]
    sizes = np.array([*map(len, units)], float)[:, None]
    flat = [unit for word in units for unit in word]
    held = np.array([[unit in text for text in plain] for unit in flat], float)
    begins = np.flatnonzero(np.concatenate(([True], sources[1:] != sources[:-1])))
    number = np.cumsum(np.concatenate(([True], sources[1:] != sources[:-1]))) - 1
    own = np.maximum(np.add.reduceat(held, starts) / sizes, _in_other_words(words, plain))
    by_passage = np.add.reduceat(np.maximum.reduceat(held, begins, axis=1), starts) / sizes
    in_titles = np.array([[unit in text for text in titles] for unit in flat], float)
    by_title = np.add.reduceat(in_titles, starts) / sizes
    weights = np.log((every + 1) / (own.sum(axis=1) + 0.5)) + 0.1
    weights /= weights.sum()
    before, after = _beside(own, sources, -1), _beside(own, sources, 1)
    walk = np.array([each.walk for each in passages])
    said = weights @ own
    with_title = weights @ np.maximum(own, by_title[:, sources])
    around = weights @ np.maximum(np.maximum(before, after), own)
    stated = np.array([each.stated for each in sentences])
    likely = said + 0.5 * around + 0.3 * with_title + 0.02 * walk[sources] + stated
    chosen = np.sort(np.argsort(-likely, kind="stable")[:MOST])

    places = (np.arange(every) - begins[number])[chosen]
    passage, title = by_passage[:, number[chosen]], by_title[:, sources[chosen]]
    most, others = float(said.max()), _others_best(said)[chosen]
    of_best = sources[chosen] == sources[int(said.argmax())]
    nowhere = weights * (by_passage.max(axis=1) < LIKELY)
    own, before, after = own[:, chosen], before[:, chosen], after[:, chosen]
    said, with_title, around, held = said[chosen], with_title[chosen], around[chosen], held[:, chosen]
    texts = [sentences[at].text for at in chosen]
    plain = [plain[at] for at in chosen]
    named = np.array([name for _, name in words])

    def share(matched: Floats, of: npt.NDArray[np.bool_]) -> Floats:
        weight = weights * of
        total = weight.sum()
        return weight @ matched / total if total else np.zeros(matched.shape[1])

    exact = np.array(
        [[(word if count_unspaced(word) else f" {word} ") in text for text in plain] for word, _ in words],
        float,
    )
    other_words = share(own, ~named)
    order = np.argsort(-weights, kind="stable")
    walk_ahead = (walk - _others_best(walk))[sources]
    asks = list(kinds(tokens_of_question(question)))
    asked_numbers = dict.fromkeys(map(int, _NUMBER.findall(question)))
    facts = [_of_text(text, asked_numbers, {word for word, _ in words}) for text in texts]
    new_numbers, new_years, new_names, starts_new, script, quoted, brackets, lists, length, size = np.array(
        facts, float
    ).T
    numbers = len(asked_numbers)
    in_passages = [_share_of_numbers(asked_numbers, each.text) if numbers else 0.0 for each in passages]
    keys = list(dict.fromkeys(key for each in names if (key := folded(each).strip())))
    in_whole = [
        max(_share_of_names(keys, plain[at]) for at in range(len(plain)) if sources[chosen[at]] == place)
        if (sources[chosen] == place).any()
        else 0.0
        for place in range(len(passages))
    ]
    columns: dict[str, object] = {
        "said": said,
        "said_exactly": weights @ exact,
        "said_largely": weights @ (own >= LIKELY),
        "said_around": around,
        "said_by_passage": weights @ passage,
        "said_by_title": weights @ title,
        "said_with_title": with_title,
        "said_before": weights @ before,
        "said_after": weights @ after,
        "of_most_said": said / max(most, 1e-9),
        "ahead_of_others": said - others,
        "most_said": most,
        "names_said": share(own, named),
        "names_by_passage": share(passage, named),
        "names_by_title": share(title, named),
        "names_before": share(before, named),
        "others_said": other_words,
        "others_ahead": other_words - _others_best(other_words),
        "rarest_missing": (weights[:, None] * (own < LIKELY)).max(axis=0),
        "rarest_missing_in_passage": (weights[:, None] * (passage < LIKELY)).max(axis=0),
        "rare_said": own[order[:_RARE]].mean(axis=0),
        "said_nowhere": nowhere.sum(),
        "rarest_nowhere": nowhere.max(),
        "pairs_said": _pairs_said(own, weights),
        "longest_run": _longest_run(held),
        "said_of_sentence": own.sum(axis=0) / (1 + size),
        "place": np.minimum(places, 10),
        "first_of_passage": places == 0,
        "rank": sources[chosen],
        "walk": walk[sources[chosen]],
        "walk_ahead": walk_ahead[chosen],
        "overlap": np.array([each.overlap for each in passages])[sources[chosen]],
        "passage_of_best": of_best,
        "length": np.log1p(length),
        "words": size,
        "question_words": len(words),
        "unspaced": count_unspaced(question) > 0,
        "cased": any(map(str.isupper, question)),
        "numbers_asked": numbers,
        "numbers_said": [_share_of_numbers(asked_numbers, text) if numbers else 0.0 for text in texts],
        "numbers_by_passage": np.array(in_passages)[sources[chosen]],
        "new_numbers": new_numbers,
        "new_years": new_years,
        "new_names": new_names,
        "starts_with_new_name": starts_new,
        "other_script": script,
        "quoted": quoted,
        "brackets": brackets,
        "lists": lists,
        "asks_number": asks[0],
        "asks_year": asks[1],
        "asks_name": asks[2],
        "number_as_asked": asks[0] * (np.minimum(new_numbers, 1) * 2 - 1),
        "year_as_asked": asks[1] * (np.minimum(new_years, 1) * 2 - 1),
        "name_as_asked": asks[2] * (np.minimum(new_names, 1) * 2 - 1),
        **{name: values[chosen] for name, values in _times(question, sentences).items()},
        "anchors": len(keys),
        "anchors_said": [_share_of_names(keys, text) for text in plain],
        "anchors_by_passage": np.array(in_whole)[sources[chosen]],
        "anchors_by_title": np.array([_share_of_names(keys, each) for each in titles])[sources[chosen]],
        "claims": [sentences[at].claims for at in chosen],
        "claims_of_anchor": [sentences[at].of_anchor for at in chosen],
        "claims_of_two": [sentences[at].of_two for at in chosen],
        "stated": stated[chosen],
        "unknown_names": unknown_share,
        "begins_asked": own[0],
        "ends_asked": own[-1],
    }
    made = np.empty((len(chosen), len(FEATURES)))
    for at, name in enumerate(FEATURES):
        made[:, at] = columns[name]  # type: ignore[call-overload]
    return chosen, made


def _share_of_numbers(asked: Mapping[int, None], text: str) -> float:
    return len(asked.keys() & set(map(int, _NUMBER.findall(text)))) / len(asked)


def _share_of_names(keys: Sequence[str], text: str) -> float:
    """The share of the names that a folded text holds; 0 where there are none."""
    return sum((key if count_unspaced(key) else f" {key}") in text for key in keys) / max(len(keys), 1)


def _in_other_words(words: Sequence[tuple[str, bool]], texts: Sequence[str]) -> Floats:
    """What each text says of each word by a word of the same relation, where the word has such."""
    said = np.zeros((len(words), len(texts)))
    for place, (word, _) in enumerate(words):
        others = [f" {other}" for other in related_to(word)]
        if others:
            said[place] = [RELATED_SHARE * any(other in text for other in others) for text in texts]
    return said


def _beside(own: Floats, sources: npt.NDArray[np.int64], step: int) -> Floats:
    """What the sentence before (-1) or after (1) in the same passage says of each word."""
    found = np.zeros_like(own)
    same = sources[1:] == sources[:-1]
    if step < 0:
        found[:, 1:] = own[:, :-1] * same
    else:
        found[:, :-1] = own[:, 1:] * same
    return found


def _others_best(values: Floats) -> Floats:
    """For each value the largest of the others; 0 where it is alone."""
    if len(values) < 2:
        return np.zeros_like(values)
    best = int(values.argmax())
    others = np.full_like(values, values[best])
    others[best] = np.delete(values, best).max()
    return others


def _pairs_said(own: Floats, weights: Floats) -> Floats:
    """The share of the question's neighbouring words that a sentence has both of."""
    if len(weights) < 2:
        return np.zeros(own.shape[1])
    pair = weights[1:] + weights[:-1]
    both: Floats = pair @ np.minimum(own[1:], own[:-1]) / pair.sum()
    return both


def _longest_run(held: Floats) -> Floats:
    """The longest run of the question's units that a sentence holds, as a share of them."""
    run = np.zeros(held.shape[1])
    longest = np.zeros(held.shape[1])
    for row in held:
        run = (run + 1) * row
        np.maximum(longest, run, out=longest)
    return longest / len(held)


def _of_text(text: str, numbers: Mapping[int, None], asked: set[str]) -> tuple[float, ...]:
    """What stands in a sentence that the question does not have: numbers, years, names; its form."""
    own = [int(each) for each in _NUMBER.findall(text)]
    years = sum(1 for each in dict.fromkeys(_years(text)) if each not in numbers)
    fresh = sum(1 for each in dict.fromkeys(own) if each not in numbers)
    new = [
        place
        for place, word in enumerate(_CAPITAL.findall(text))
        if word[0].isupper() and word.casefold() not in asked
    ]
    latin = text.isascii() or not _LATIN.search(text)
    unspaced = count_unspaced(text)
    return (
        min(fresh, 5),
        min(years, 5),
        min(sum(1 for place in new if place > 0), 8),
        bool(new) and new[0] == 0,
        not latin,
        sum(map(text.count, '"“”«»「」《》„')) > 0,
        text.count("(") + text.count("（"),
        sum(map(text.count, ",،、;；")),
        len(text) * (2 if unspaced else 1),
        len(text.split()) + unspaced,
    )


def _times(question: str, sentences: Sequence[Choosable]) -> dict[str, Floats]:
    """How the years of a question lie to those that each sentence states, or that stood last before it."""
    asked = _years(question)
    count = len(sentences)
    zero = np.zeros(count)
    if not asked:
        names = ("time_said", "time_within", "time_since", "time_latest", "time_carried", "time_beyond")
        return dict.fromkeys(("time_asked", *names), zero)
    first, last = min(asked), max(asked)
    said, within, carried, beyond = (np.zeros(count) for _ in range(4))
    begun = np.full(count, -1.0)
    seen: int | None = None
    for at, each in enumerate(sentences):
        if at and each.source != sentences[at - 1].source:
            seen = None
        years = _years(each.text)
        said[at] = len(set(asked) & set(years)) / len(set(asked))
        if years:
            within[at] = min(years) <= first and last <= max(years)
            past = [year for year in years if year <= first]
            begun[at] = max(past) if past else -1
            beyond[at] = min(years) > last
            seen = years[-1]
        elif seen is not None:
            carried[at] = 1
            begun[at] = seen if seen <= first else -1
            beyond[at] = seen > last
    since = np.where(begun > 0, 1 / (1 + np.log1p(np.maximum(first - begun, 0))), 0.0)
    latest = (begun > 0) & (begun == begun.max(initial=-1))
    return {
        "time_asked": np.full(count, 1.0 + (len(set(asked)) > 1)),
        "time_said": said,
        "time_within": within,
        "time_since": since,
        "time_latest": latest.astype(float),
        "time_carried": carried,
        "time_beyond": beyond,
    }
