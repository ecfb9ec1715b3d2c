"""Requirement 5: the trained pipeline, from text to words, syntax and names, with its shipped weights."""

import json
from importlib import resources
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.answers.clause_support import parse_sentence
from app.extraction.reader.embedding_features import FEATURES
from app.extraction.reader.entities import find_named_entities
from app.extraction.reader.languages import has_pipeline, load_parser, load_pipeline
from app.extraction.reader.network import Network
from app.extraction.reader.pipeline import MAX_SENTENCE_LENGTH, Pipeline, ReadWords
from app.extraction.shapes import ChunkText
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId

WEIGHTS = resources.files("app.extraction.reader") / "weights"
_LANGUAGES = ("de", "en", "es", "fr", "ja", "ko", "pt", "ru", "zh")


@pytest.fixture(scope="module")
def french() -> Pipeline:
    pipeline = load_pipeline("fr")
    assert pipeline is not None
    return pipeline


def _names(pipeline: Pipeline, text: str) -> list[str]:
    return [
        text[sentence.starts[name.first] : sentence.ends[name.last - 1]]
        for sentence in pipeline.read_sentences([text])[0]
        for name in pipeline.find_names(sentence.read_words)
    ]


def test_words_are_looked_up_where_the_weights_were_trained() -> None:
    """Another hash would make noise of all weights without an error."""
    assert FEATURES["words"].list_rows_of_words(["Berlin"]).tolist() == [[8462, 2384, 737, 2867, 2115, 522]]


def test_a_clause_is_parsed(french: Pipeline) -> None:
    (sentence,) = french.read_sentences(["Le directeur a vendu la maison en mai."])[0]
    (parse,) = french.parse([sentence.read_words.words])
    words = sentence.read_words.words

    verb = words.index("vendu")
    assert (parse.heads[verb], parse.upos[verb]) == (verb, "VERB")
    assert parse.lemmas[words.index("directeur")] == "directeur"
    assert (parse.relations[1], parse.heads[1]) == ("nsubj", verb)
    assert parse.heads[words.index("maison")] == verb
    assert parse.upos[words.index("maison")] == "NOUN"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "Claire Besson dirige une filiale à Nantes depuis juin.", ["Claire Besson", "Nantes"]),
        ("de", "Die Firma wurde von Rosa Keller in Lübeck gegründet.", ["Rosa Keller", "Lübeck"]),
        ("es", "La empresa fue fundada por Rosa Molina en Bilbao.", ["Rosa Molina", "Bilbao"]),
        ("pt", "A empresa foi fundada por Rosa Molina em Coimbra.", ["Rosa Molina", "Coimbra"]),
        ("ru", "Анна Орлова живёт в Санкт-Петербурге.", ["Анна Орлова", "Санкт-Петербурге"]),
        ("zh", "林美華在國立臺灣大學任教，並與英特爾合作。", ["林美華", "國立臺灣大學", "英特爾"]),
        ("zh", "林美华在国立台湾大学任教，并与英特尔合作。", ["林美华", "国立台湾大学", "英特尔"]),
        ("zh", "会议推迟到下周，费用翻了一番。", []),
        ("ja", "木村健太郎社長は名古屋市で記者会見した。", ["木村健太郎", "名古屋市"]),
        ("ja", "会議は来週に延期され、費用は二倍になった。", []),
        ("ko", "김민준은 2019년 부산에서 한빛전자를 설립했다.", ["김민준", "부산", "한빛전자"]),
        ("ko", "회의는 다음 주로 연기되었고 비용은 두 배로 늘었다.", []),
    ],
)
def test_names_are_found(language: str, text: str, expected: list[str]) -> None:
    pipeline = load_pipeline(language)
    assert pipeline is not None
    assert _names(pipeline, text) == expected


def _random_network(reach: list[int], folded: tuple[str, str] = ("", "")) -> Network:
    """Untrained weights of characters: what is computed matters here, not what is found."""
    numbers = np.random.default_rng(1)
    features = FEATURES["characters"]
    shapes: dict[str, tuple[int, ...]] = {
        f"tables.{at}.weight": (table.row_count, 4) for at, table in enumerate(features.tables)
    }
    shapes |= {"names.weight": (3, 6), "names.bias": (3,)}
    for name, wide in [("first", 16), *((f"windows.{at}", 18) for at in range(len(reach)))]:
        shapes |= {f"{name}.linear.weight": (12, wide), f"{name}.linear.bias": (12,)}
        shapes |= {f"{name}.norm.weight": (6,), f"{name}.norm.bias": (6,)}
    classes = {"names": ["O", "B-PER", "I-PER"], "lemmas": [], "labels": [], "upos": []}
    header = {"features": "characters", "classes": classes, "reach": reach, "folded": folded}
    arrays = {name: numbers.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    return Network({"header": np.array(json.dumps(header)), **arrays})


def test_windows_that_reach_far_see_nothing_of_another_sentence() -> None:
    network = _random_network([1, 2, 4])
    one, other = list("東京で働く"), list("雨")
    (alone,) = network.encode([one])
    _, between, _ = network.encode([other, one, other])

    np.testing.assert_allclose(alone, between, atol=1e-5)


def test_a_window_sees_as_far_as_it_reaches() -> None:
    network = _random_network([1, 3])
    text = "春夏秋冬東西南北上下左右"
    whole, changed = network.encode([list(text), list(text[:-1] + "山")])
    differs = [bool(np.abs(a - b).max() > 1e-6) for a, b in zip(whole, changed, strict=True)]

    # The feature "after" sees one character, and the windows one and three more.
    assert differs == [False] * 6 + [True] * 6


def test_folded_characters_are_read_as_those_that_they_stand_for() -> None:
    network = _random_network([1, 2], folded=("國學", "国学"))
    traditional, simplified = network.encode([list("國立大學"), list("国立大学")])

    np.testing.assert_allclose(traditional, simplified)


def test_no_name_begins_or_ends_with_a_space() -> None:
    """Spaces are tokens in Korean, and the tags alone do not keep them inside of names."""
    pipeline = Pipeline(_random_network([1, 2]))
    tags = np.eye(3, dtype=np.float32)[[1, 2, 2, 2, 0, 1, 2]]
    words = [" ", "안", "나", " ", "가", "\u3000", " "]
    best = ["B-PER", "I-PER", "I-PER", "I-PER", "O", "B-PER", "I-PER"]
    (name,) = pipeline.find_names(ReadWords(words, np.zeros((7, 6), np.float32), tags, best))

    assert (name.first, name.last) == (1, 3)


def test_a_sentence_is_read_alike_whatever_stands_beside_it(french: Pipeline) -> None:
    one, other = ["Anna", "works", "for", "Kestrel", "."], ["It", "rains", "."]
    alone = next(french.encode_and_tag_names([one]))
    _, beside = french.encode_and_tag_names([other, one])

    np.testing.assert_allclose(alone.tag_probabilities, beside.tag_probabilities, atol=1e-5)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_and_words_are_its_slices(text: str) -> None:
    pipeline = load_pipeline("fr")
    assert pipeline is not None
    (sentences,) = pipeline.read_sentences([text])
    parses = pipeline.parse([sentence.read_words.words for sentence in sentences])
    for sentence, parse in zip(sentences, parses, strict=True):
        words = [text[start:end] for start, end in zip(sentence.starts, sentence.ends, strict=True)]
        assert words == sentence.read_words.words
        assert len(parse.heads) == len(words) <= MAX_SENTENCE_LENGTH
        for name in pipeline.find_names(sentence.read_words):
            types = pipeline.guess_name_types(sentence.read_words, name.first, name.last)
            assert sum(types.values()) == pytest.approx(1)


def test_a_text_without_a_sentence_end_is_read_in_pieces(french: Pipeline) -> None:
    (sentences,) = french.read_sentences(["word " * 1_000])

    assert sum(len(sentence.starts) for sentence in sentences) == 1_000
    assert max(len(sentence.starts) for sentence in sentences) == MAX_SENTENCE_LENGTH


def test_the_weights_are_small() -> None:
    """Six megabytes a language at most, and fifteen in all."""
    sizes = {path.name: len(path.read_bytes()) for path in WEIGHTS.iterdir() if path.name.endswith(".npz")}

    assert sizes.keys() == {"en.kinds.npz", *(f"{language}.npz" for language in _LANGUAGES)}
    assert max(sizes.values()) < 6_000_000
    assert sum(sizes.values()) < 15_000_000


def test_weights_of_names_alone_are_not_asked_to_parse() -> None:
    assert load_parser("fr") is load_pipeline("fr")
    assert load_pipeline("pt") is not None
    assert load_parser("pt") is None
    assert parse_sentence("Rosa vendeu a casa.", "pt") is None


@pytest.mark.parametrize("language", ["xx", "../en", ""])
def test_a_language_without_weights_has_no_reader(language: str) -> None:
    assert not has_pipeline(language)
    assert load_pipeline(language) is None


def test_words_that_training_did_not_have_are_parsed() -> None:
    """No sentence that the weights were trained on has "apothecary", "bequeathed" or "escarpment"."""
    pipeline = load_pipeline("en")
    assert pipeline is not None
    words = ["The", "apothecary", "bequeathed", "a", "nearby", "escarpment", "."]
    (parse,) = pipeline.parse([words])

    assert (parse.heads[1], parse.heads[2], parse.heads[5]) == (2, 2, 2)
    assert (parse.relations[1], parse.relations[5]) == ("nsubj", "obj")
    assert [parse.upos[at] for at in (1, 2, 4, 5)] == ["NOUN", "VERB", "ADJ", "NOUN"]


def test_pretrained_vectors_count_for_words_of_known_pieces() -> None:
    with (WEIGHTS / "en.npz").open("rb") as opened:
        arrays = dict(np.load(opened))
    empty = {**arrays, "pieces.weight": np.zeros_like(arrays["pieces.weight"])}
    (word, sign), (bare_word, bare_sign) = (
        Network(own).encode([["apothecary"], ["☃"]]) for own in (arrays, empty)
    )

    assert np.abs(word - bare_word).max() > 0.1
    np.testing.assert_allclose(sign, bare_sign, atol=1e-6)


def test_a_name_in_a_case_is_listed_by_its_base_form_where_that_is_sure() -> None:
    """The mention stays as it is written; of a form that training did not have nothing is made up."""
    text = "В России живёт Анна Орлова, а в Кукуеве никто."
    pipeline = load_pipeline("ru")
    assert pipeline is not None
    chunk = ChunkText(ChunkId(UUID(int=1)), DocumentId(UUID(int=2)), "", text, language="ru")
    entities = find_named_entities(chunk, pipeline, DEFAULT_VOCABULARY)
    names = {entity.name: [surface.text for surface in entity.surfaces] for entity in entities}
    assert (names["Россия"], names["Анна Орлова"]) == (["России"], ["Анна Орлова"])
    surfaces = [surface for entity in entities for surface in entity.surfaces]
    assert all(text[surface.start : surface.end] == surface.text for surface in surfaces)
    assert set(names) <= {"Россия", "Анна Орлова", "Кукуеве"}
