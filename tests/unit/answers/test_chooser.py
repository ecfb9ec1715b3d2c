"""The trained chooser: what it is told of a sentence, and what it makes of it."""

import json

import numpy as np
import pytest

from app.answers.chooser import question_matches
from app.answers.chooser.features import (
    FEATURE_NAMES,
    CandidatePassage,
    CandidateSentence,
    select_sentences_and_compute_features,
)
from app.answers.chooser.model import (
    ANY_SCRIPT,
    LENGTH_OF_LARGE_SPACE,
    SMALL_SPACE,
    WEIGHTS_PATH,
    Chooser,
    do_sources_show_small_space,
    find_threshold_by_language_or_script,
    guess_script_of_question,
    load_chooser,
    select_common_words,
)
from app.answers.text_matching import (
    QuestionWord,
    does_one_text_have_all_words_of_name,
    fold_to_spaced_lower_case,
    list_question_tokens,
    list_question_words,
)


def rows(
    question: str,
    *passages: str,
    title: str = "",
    common_words: frozenset[str] = frozenset(),
    names: tuple[str, ...] = (),
) -> list[dict[str, float]]:
    """The features of each sentence, by name; sentences end with " / "."""
    sentences = [
        CandidateSentence(text, place)
        for place, passage in enumerate(passages)
        for text in passage.split(" / ")
    ]
    held = [CandidatePassage(passage, title, 1.0) for passage in passages]
    places, made = select_sentences_and_compute_features(
        question,
        sentences,
        held,
        names=names,
        unknown_names_share=0.0,
        score_kinds=lambda _: (0.2, 0.3, 0.4),
        common_words=common_words,
    )
    assert places.tolist() == list(range(len(sentences)))
    return [dict(zip(FEATURE_NAMES, feature_values, strict=True)) for feature_values in made.tolist()]


@pytest.mark.parametrize(
    ("question", "said", "not_said"),
    [
        ("Who built the harbour of Umber?", "Rasmus built Umber's harbour.", "Umber lies in the north."),
        ("Кто построил гавань Умбры?", "Гавани Умбры построены Расмусом.", "Город лежит на севере."),
        ("谁建造了安伯港口？", "拉斯穆斯建造了安伯的港口。", "天气今天很好。"),
    ],
)
def test_a_sentence_says_more_where_it_has_the_words_in_some_form(
    question: str, said: str, not_said: str
) -> None:
    one, other = rows(question, f"{said} / {not_said}")
    assert one["said"] > other["said"]
    assert one["ahead_of_others"] > 0 > other["ahead_of_others"]


@pytest.mark.parametrize("between", ["", "The office stands by the river. / "])
def test_a_name_is_carried_to_the_sentences_that_go_on_about_it(between: str) -> None:
    named, *_, moved = rows(
        "Where is the office of Umber Works?", f"Umber Works makes boats. / {between}It moved to Lund."
    )
    assert named["sentences_since_name"] == 0
    assert moved["sentences_since_name"] == (2 if between else 1)
    assert moved["names_said"] == 0 < named["names_said"] == named["names_carried"] == moved["names_carried"]


def test_no_name_is_carried_into_another_passage_but_that_of_its_title() -> None:
    passages = ("Umber Works makes boats.", "It moved to Lund.")
    _, alone = rows("Where is Umber Works?", *passages)
    _, titled = rows("Where is Umber Works?", *passages, title="History of Umber Works")
    assert (alone["names_carried"], titled["names_carried"]) == (0, 1)
    assert alone["sentences_since_name"] == titled["sentences_since_name"] == 10


@pytest.mark.parametrize(("names", "is_said"), [((), 0.0), (("Sitz",), 1.0)])
def test_nouns_are_no_names_where_nouns_are_capitalised(names: tuple[str, ...], is_said: float) -> None:
    (only,) = rows("Wo ist der Sitz der Gesellschaft?", "Der Sitz ist in Lund.", names=names)
    assert only["names_said"] == is_said
    assert only["said"] > 0


@pytest.mark.parametrize(
    ("question", "common_words", "said", "common_alone"),
    [
        (
            "Who was it that painted the lighthouse?",
            "who was it that the",
            "Painted lighthouse.",
            "That was the one.",
        ),
        ("Which town did Who play in?", "which did who in", "A town: Who play.", "Which one did in fact?"),
    ],
)
def test_words_common_in_questions_are_not_looked_for_in_sentences(
    question: str, common_words: str, said: str, common_alone: str
) -> None:
    one, other = rows(question, f"{said} / {common_alone}", common_words=frozenset(common_words.split()))
    assert one["said"] == pytest.approx(1)
    assert rows(question, said)[0]["said"] < 0.9
    assert other["said"] < rows(question, common_alone)[0]["said"]


def test_a_question_of_common_words_alone_is_looked_for_as_it_is() -> None:
    (row,) = rows("Did they?", "They did.", common_words=frozenset(("did", "they")))
    assert row == rows("Did they?", "They did.")[0]


def test_words_are_common_in_the_language_of_the_question() -> None:
    common_words = {"de": frozenset(("die", "wann")), "en": frozenset(("when", "did"))}
    assert "die" not in select_common_words("When did the painter Rosa Greco die?", common_words)
    assert "die" in select_common_words("Wann wird die Ausschüttung ausgezahlt?", common_words)
    assert select_common_words("Ada?", common_words) == {"die", "wann", "when", "did"}
    for words in load_chooser().common_words.values():
        assert words
    assert "die" not in load_chooser().common_words["en"]


@pytest.mark.parametrize(
    ("question", "sentence", "parts", "missing"),
    [
        ("Who steers the ferry Alma?", "The ferry Alma is steered by Jon.", 3, 0),
        ("Who steers the ferry Alma?", "The ferry Alma is white.", 3, 1),
        ("Who steers the ferry?", "The harbour is deep.", 2, 2),
        ("Where was Ada Brand born?", "Ada Brand paints.", 2, 1),
        ("Wer baute die Rutsche?", "Die Rutsche wurde von Jens gebaut.", 2, 0),
        ("Кто построил маяк?", "Маяк построен Расмусом.", 2, 0),
    ],
)
def test_parts_of_the_question_that_a_sentence_lacks(
    question: str, sentence: str, parts: int, missing: int
) -> None:
    common_words = frozenset(("who", "the", "where", "was", "wer", "die", "wurde"))
    (row,) = rows(question, sentence, common_words=common_words, names=("Ada Brand",))
    assert (row["parts"], row["parts_missing"], row["share_of_parts_missing"]) == (
        parts,
        missing,
        missing / parts,
    )


def test_a_sentence_has_the_parts_of_the_one_before_it_and_of_its_title() -> None:
    question, common_words = "Who steers the ferry Alma?", frozenset(("who", "the"))
    _, after = rows(question, "The ferry Alma is white. / Jon steers it.", common_words=common_words)
    (titled,) = rows(question, "Jon steers it.", title="Ferry Alma", common_words=common_words)
    (apart,) = rows(question, "Jon steers it.", common_words=common_words)
    assert (after["parts_missing"], titled["parts_missing"], apart["parts_missing"]) == (0, 0, 2)
    assert after["parts_missing_alone"] == 1


def test_two_sources_that_say_the_same_take_no_lead_from_each_other() -> None:
    first, second, other = rows(
        "Who steers the ferry Alma?", "Jon steers the ferry.", "Jon steers the ferry.", "The sea is deep."
    )
    for row in (first, second):
        assert row["ahead_of_others"] > 0
        assert row["others_ahead"] > 0
    assert other["ahead_of_others"] < 0


def test_what_no_passage_says_is_counted() -> None:
    (known,) = rows("Who built the harbour?", "Rasmus built the harbour.")
    (unknown,) = rows("Who painted the lighthouse?", "Rasmus built the harbour.")
    assert unknown["said_nowhere"] > known["said_nowhere"]


@pytest.mark.parametrize(
    ("sentence", "within", "since"),
    [
        ("He led it from 1995 to 2001.", 1, True),
        ("He led it from 1985 to 1990.", 0, True),
        ("He led it from 2003 on.", 0, False),
        ("He led it.", 0, False),
    ],
)
def test_the_time_asked_is_held_against_the_time_stated(sentence: str, within: int, since: bool) -> None:
    (found,) = rows("Who led it in 1998?", sentence)
    assert (found["time_asked"], found["time_within"], found["time_since"] > 0) == (1, within, since)


def test_a_sentence_without_a_year_has_that_of_the_one_before_it() -> None:
    _, found = rows("Who led it in 1998?", "It was built in 1990. / Ada led it.")
    assert (found["time_carried"], found["time_since"] > 0) == (1, True)


def test_a_sentence_with_the_asked_years_is_always_looked_at() -> None:
    question = "From 2031 to 2034, which office holder acts as secretary to the treasury?"
    others = [
        CandidateSentence(f"An office holder acts as secretary to the treasury in {year}.", 0)
        for year in (2031, 2034) * 20
    ]
    for item, is_looked_at in (("Ada Moss (2031–2034)", True), ("Ada Moss (2031)", False)):
        passages = [
            CandidatePassage(" ".join(other.text for other in others), "", 1.0),
            CandidatePassage(item, ""),
        ]
        places, _ = select_sentences_and_compute_features(
            question,
            [*others, CandidateSentence(item, 1)],
            passages,
            names=(),
            unknown_names_share=0.0,
            score_kinds=lambda _: (0.2, 0.3, 0.4),
            common_words=frozenset(),
        )
        assert (len(others) in places) is is_looked_at


def test_numbers_of_the_question_are_no_new_ones() -> None:
    old, new = rows("How many ships came in 1998?", "In 1998 ships came. / In 1998 came 14 ships.")
    assert (old["new_numbers"], new["new_numbers"]) == (0, 1)
    assert new["number_as_asked"] == 0.2


@pytest.mark.parametrize(
    ("name", "text", "speaks"),
    [
        ("Larkfield", "Larkfield's office", True),
        ("Marlin Steel", "Carlin Steel is in Hull", False),
        ("Lantern 3", "Lantern 2 is out", False),
        ("Ньютоном", "Кэм Ньютон потерял мяч", True),
        ("Элвею", "Погода была хорошей", False),
    ],
)
def test_a_text_speaks_of_a_name_in_the_forms_of_its_script(name: str, text: str, speaks: bool) -> None:
    assert does_one_text_have_all_words_of_name(name, [fold_to_spaced_lower_case(text)]) is speaks


def test_words_and_tokens_of_a_question() -> None:
    assert list_question_words("Who met Ada Lovelace in 1843?") == [
        ("who", False), ("met", False), ("ada", True), ("lovelace", True), ("in", False), ("1843", True),
    ]  # fmt: skip
    assert list_question_tokens("多少人") == ["多", "少", "人", "多少", "少人", "多少人"]


@pytest.mark.parametrize(
    ("question", "script"),
    [("Who?", "Latin"), ("Кто такой Newton?", "Cyrillic"), ("谁？", "Han"), ("?!", ANY_SCRIPT)],
)
def test_the_script_of_a_question(question: str, script: str) -> None:
    assert guess_script_of_question(question) == script


def test_a_tree_is_walked_to_its_leaf() -> None:
    stored = {
        "features": list(FEATURE_NAMES),
        "bias": [0.0, 0.0, 0.0],
        "kinds": {"when": [0.0, 3.0, 0.0]},
        "common_words": {"en": ["was"]},
        "trees": [[[0, 0.5, 1, 2], [-2.0], [7, 0.1, 3, 4], [1.0], [2.0]], [[0.5]]],
        "thresholds": {ANY_SCRIPT: 0.25, "Latin": 0.5, "Latin several": 0.4, "de": 0.1},
        "sure": 0.9,
    }
    chooser = Chooser.from_weights(stored)
    three = np.zeros((3, len(FEATURE_NAMES)))
    three[1, 0], three[2, 0], three[2, 7] = 0.6, 0.6, 1.0
    wanted = 1 / (1 + np.exp(-np.array([-1.5, 1.5, 2.5])))
    assert np.allclose(chooser.compute_likelihoods(three), wanted)
    assert [round(share, 2) for share in chooser.score_kinds_asked(["when", "was"])] == [0.5, 0.95, 0.5]
    asked = ("Who founded the town?", "Wann wurde die Stadt gegründet, und von wem?", "谁？")
    for is_about_several, thresholds in ((False, [0.5, 0.1, 0.25]), (True, [0.4, 0.1, 0.25])):
        assert thresholds == [
            chooser.get_likelihood_threshold(
                question, is_about_several=is_about_several, in_small_space=False
            )
            for question in asked
        ]


@pytest.mark.parametrize(
    ("own_threshold", "is_about_several", "in_small_space", "threshold"),
    [(0.02, False, True, 0.1), (0.02, False, False, 0.02), (0.02, True, True, 0.02), (0.3, False, True, 0.3)],
)
def test_the_threshold_is_higher_in_a_small_space_for_one_thing_and_never_lower(
    own_threshold: float, is_about_several: bool, in_small_space: bool, threshold: float
) -> None:
    assert threshold == find_threshold_by_language_or_script(
        "Who founded the town?",
        {ANY_SCRIPT: own_threshold, SMALL_SPACE: 0.1},
        is_about_several=is_about_several,
        in_small_space=in_small_space,
    )


def test_a_space_is_small_by_the_length_of_its_sources_in_any_script() -> None:
    length = LENGTH_OF_LARGE_SPACE
    assert do_sources_show_small_space(["Who?", "a" * (length - 5)])
    assert not do_sources_show_small_space(["Who?", "a" * (length - 4)])
    # A character of a script without spaces counts as three.
    assert do_sources_show_small_space(["谁" * (length // 3 - 1)])
    assert not do_sources_show_small_space(["谁" * (length // 3)])


def test_the_weights_are_small_and_of_these_features() -> None:
    stored = json.loads(WEIGHTS_PATH.read_text("utf-8"))
    assert WEIGHTS_PATH.stat().st_size < 150_000
    assert stored["features"] == list(FEATURE_NAMES)
    assert set(stored["thresholds"]) > {"Latin", "Cyrillic", "Han", "Arabic", "Devanagari", SMALL_SPACE}
    assert "which" in stored["common_words"]["en"]
    # Of two characters, those of question words are common, and those of what is asked about are not.
    assert "什么" in stored["common_words"]["zh"]
    assert "法国" not in stored["common_words"]["zh"]


def test_the_trained_chooser_tells_kinds_of_answers() -> None:
    chooser = load_chooser()
    many, who, wann = (
        chooser.score_kinds_asked(list_question_tokens(name))
        for name in ("How many ships are there?", "Who was that?", "Wann war das?")
    )
    assert many[0] > max(0.3, many[1], many[2], who[0])
    assert who[2] > max(many[2], wann[2])
    assert wann[1] > max(many[1], who[1])


@pytest.mark.parametrize(
    ("word", "text"), [("作り", "が作った"), ("書き", "を書いて"), ("話す", "と話さない")]
)
def test_another_inflection_of_a_japanese_word_says_it(word: str, text: str) -> None:
    assert question_matches._flag_texts_with_forms_of_words(
        [QuestionWord(word, False)], [f" {text} ", " 別の文 "]
    ).tolist() == [[1.0, 0.0]]
