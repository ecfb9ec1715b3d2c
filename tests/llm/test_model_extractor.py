"""The two passes through a model: what they ask, what they keep, what they set aside, what they never ask
twice.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.extraction.grounding import keep_entities_named_in_chunk, keep_relations_stated_in_chunk
from app.extraction.llm.extractor import ModelExtractor
from app.extraction.shapes import ChunkText, FoundEntity, FoundRelation, Vocabulary
from app.extraction.vocabulary import DEFAULT_VOCABULARY, build_vocabulary
from app.ids import ChunkId, DocumentId, TenantId, create_id
from app.ingest.model_double_answers import RulesAnswerer
from app.jobs.states import StopRequested
from app.llm.call_records import InProcessAnswerStore
from app.llm.client import ModelClient
from app.llm.errors import Parked
from app.llm.model_calls.asker import CallSize
from app.llm.testing import Fault, ModelDouble
from app.llm.testing import Mode as M
from app.settings import Settings
from app.space_settings import SpaceSettings, effective_settings
from tests.llm.conftest import MakeClient

TEXTS = [
    "Acme Corporation created Rocketry. Rocketry depends on Thrust.",
    "Berta Berger works for Acme Corporation. Berta Berger created Thrust.",
    "Globex owns Initech. Initech is located in Austin.",
    "Carl Cole founded Globex. Carl Cole knows Berta Berger.",
    "Hooli replaced Pied Piper. Pied Piper uses Middleout.",
    "Dora Dale works for Hooli. Dora Dale created Nucleus.",
    "Vandelay Industries provides Latex. Vandelay Industries owns Kramerica.",
    "Umbrella Corporation created Nemesis. Nemesis depends on Tyrant.",
    "Soylent Green replaced Soylent Red. Soylent Red uses Plankton.",
]


def chunks_of(texts: Sequence[str], *, speakers: bool = False) -> list[ChunkText]:
    document = DocumentId(create_id())
    return [
        ChunkText(ChunkId(create_id()), document, "Companies", text, speaker="Ann" if speakers else None)
        for text in texts
    ]


def both(
    extractor: ModelExtractor, chunks: Sequence[ChunkText], vocabulary: Vocabulary = DEFAULT_VOCABULARY
) -> tuple[list[tuple[FoundEntity, ...]], list[tuple[FoundRelation, ...]]]:
    entities = extractor.extract_entities(chunks, vocabulary)
    return entities, extractor.extract_relations(chunks, entities, vocabulary)


class TestGleaning:
    """Requirement 5.6: a second look for missed nodes is a setting of a space, off by default."""

    THRICE = replace(DEFAULT_VOCABULARY, gleanings=3)

    def test_by_default_nothing_is_looked_at_twice(
        self, double: ModelDouble, extractor: ModelExtractor
    ) -> None:
        assert SpaceSettings().gleanings == 0
        extractor.extract_entities(chunks_of(TEXTS[:2]), DEFAULT_VOCABULARY)
        assert len(double.calls) == 1

    def test_what_a_second_look_finds_joins_what_was_found(
        self, double: ModelDouble, extractor: ModelExtractor
    ) -> None:
        missed = {"name": "Thrust", "type": "Technology", "aliases": []}
        made_up = {"name": "Atlantis", "type": "Location", "aliases": []}
        double.when(lambda prompt: "missed some" not in prompt, _entities_of("Acme Corporation"))
        double.when(lambda prompt: '["Acme Corporation"]' in prompt, _answer([missed, made_up]))
        double.when(lambda prompt: '"Atlantis"]' in prompt, _answer([]))
        ((*found,),) = extractor.extract_entities(chunks_of(TEXTS[:1]), self.THRICE)
        assert {entity.name for entity in found} == {"Acme Corporation", "Thrust"}
        assert extractor.drop_counts["not_in_text"] == 1
        # The third look found nothing, so that there is no fourth.
        assert len(double.calls) == 3

    def test_a_look_that_goes_wrong_leaves_what_was_found(
        self, double: ModelDouble, extractor: ModelExtractor
    ) -> None:
        double.when(lambda prompt: "missed some" not in prompt, _entities_of("Acme Corporation"))
        double.when(lambda prompt: "missed some" in prompt, "no JSON at all")
        ((*found,),) = extractor.extract_entities(chunks_of(TEXTS[:1]), self.THRICE)
        assert [entity.name for entity in found] == ["Acme Corporation"]
        assert extractor.failures == []

    def test_looking_again_is_paid_once(
        self,
        double: ModelDouble,
        extractor: ModelExtractor,
        client: ModelClient,
        answers: InProcessAnswerStore,
        tenant: TenantId,
    ) -> None:
        chunks = chunks_of(TEXTS[:3])
        first = extractor.extract_entities(chunks, self.THRICE)
        made = len(double.calls)
        again = ModelExtractor(client, answers, tenant_id=tenant).extract_entities(chunks, self.THRICE)
        assert (again, len(double.calls)) == (first, made)


def _answer(entities: list[dict[str, Any]]) -> dict[str, Any]:
    return {"passages": [{"id": 1, "entities": entities}]}


def _entities_of(name: str) -> dict[str, Any]:
    return _answer([{"name": name, "type": "Organization", "aliases": []}])


@pytest.fixture
def answers() -> InProcessAnswerStore:
    return InProcessAnswerStore()


@pytest.fixture
def extractor(client: ModelClient, answers: InProcessAnswerStore, tenant: TenantId) -> ModelExtractor:
    return ModelExtractor(client, answers, tenant_id=tenant)


def scripted(entities: Any = None, relations: Any = None) -> list[tuple[Any, Any]]:
    made = []
    if entities is not None:
        answer = {"passages": [{"id": 1, "entities": entities}]}
        made.append((lambda prompt: '"entities"' in prompt, answer))
    if relations is not None:
        answer = {"passages": [{"id": 1, "relations": relations}]}
        made.append((lambda prompt: '"relations"' in prompt, answer))
    return made


def test_both_passes_say_what_the_text_says(extractor: ModelExtractor) -> None:
    chunks = chunks_of(TEXTS)
    entities, relations = both(extractor, chunks)
    names = [[entity.name for entity in found] for found in entities]
    assert names[0] == ["Acme Corporation", "Rocketry", "Thrust"]
    stated = [
        (entities[0][relation.from_entity].name, relation.relation_type, entities[0][relation.to_entity].name)
        for relation in relations[0]
    ]
    assert stated == [("Acme Corporation", "created", "Rocketry"), ("Rocketry", "depends_on", "Thrust")]
    for chunk, found in zip(chunks, entities, strict=True):
        for entity in found:
            assert all(chunk.text[s.start : s.end] == s.text for s in entity.surfaces)
    assert extractor.failures == []


def test_several_passages_share_a_call(double: ModelDouble, extractor: ModelExtractor) -> None:
    both(extractor, chunks_of(TEXTS[:8]))
    assert len(double.calls) == 2


def test_a_second_run_and_another_batching_make_no_call(
    double: ModelDouble,
    client: ModelClient,
    answers: InProcessAnswerStore,
    extractor: ModelExtractor,
    tenant: TenantId,
) -> None:
    first = both(extractor, chunks_of(TEXTS))
    before = len(double.calls)
    again = ModelExtractor(client, answers, tenant_id=tenant)
    assert both(again, chunks_of(TEXTS)) == first
    backwards = both(again, list(reversed(chunks_of(TEXTS))))
    assert tuple(list(reversed(part)) for part in backwards) == first
    one_by_one = [both(again, chunks_of([text])) for text in TEXTS]
    assert [part[0][0] for part in one_by_one] == first[0]
    assert len(double.calls) == before
    cached = [call for call in answers.calls if call.cached]
    assert cached
    assert all(call.prompt_tokens == 0 for call in cached)


def test_one_new_chunk_costs_one_call_a_pass(double: ModelDouble, extractor: ModelExtractor) -> None:
    both(extractor, chunks_of(TEXTS[:8]))
    both(extractor, chunks_of(TEXTS))
    assert len(double.calls) == 4


def test_equal_chunks_are_asked_about_once(double: ModelDouble, extractor: ModelExtractor) -> None:
    entities, relations = both(extractor, chunks_of([TEXTS[0]] * 30))
    assert len(double.calls) == 2
    assert len({tuple(found) for found in entities}) == len({tuple(found) for found in relations}) == 1


def test_another_vocabulary_title_or_model_is_another_question(
    double: ModelDouble,
    make_client: MakeClient,
    answers: InProcessAnswerStore,
    extractor: ModelExtractor,
    tenant: TenantId,
) -> None:
    chunk = chunks_of(TEXTS[:1])
    extractor.extract_entities(chunk, DEFAULT_VOCABULARY)
    wider = Vocabulary(DEFAULT_VOCABULARY.node_types | {"Vehicle"}, DEFAULT_VOCABULARY.relation_types)
    extractor.extract_entities(chunk, wider)
    titled = ChunkText(chunk[0].id, chunk[0].document_id, "Rivals", chunk[0].text)
    extractor.extract_entities([titled], DEFAULT_VOCABULARY)
    other = make_client(double.base_url)
    other.model = "another"
    ModelExtractor(other, answers, tenant_id=tenant).extract_entities(chunk, DEFAULT_VOCABULARY)
    assert len(double.calls) == 4


def test_pass_2_asks_only_about_chunks_with_two_entities(
    double: ModelDouble, extractor: ModelExtractor
) -> None:
    chunks = chunks_of(["Acme Corporation is large.", TEXTS[0], "It rains."])
    _, relations = both(extractor, chunks)
    assert [len(found) > 0 for found in relations] == [False, True, False]
    asked = [prompt for prompt in double.prompts if '"relations"' in prompt]
    assert len(asked) == 1
    assert "is large" not in asked[0]


def test_unwanted_chunks_are_not_sent(double: ModelDouble, extractor: ModelExtractor) -> None:
    chunks = chunks_of(TEXTS[:2])
    chunks[0] = ChunkText(
        chunks[0].id, chunks[0].document_id, "Companies", "Secret Project is old.", is_wanted=False
    )
    entities, _ = both(extractor, chunks)
    assert entities[0] == ()
    assert not any("Secret Project" in prompt for prompt in double.prompts)


def test_turns_are_read_with_the_three_before_them(double: ModelDouble, extractor: ModelExtractor) -> None:
    """Requirement 5.6."""
    turns = [
        f"Ann: Turn {word} names Acme Corporation and Globex."
        for word in ("one", "two", "three", "four", "five")
    ]
    both(extractor, chunks_of(turns, speakers=True))
    first = double.prompts[0].split("#")
    last = next(
        part for part in first if part.rstrip().endswith("Turn five names Acme Corporation and Globex.")
    )
    assert [f"(before) {turn}" in last for turn in turns] == [False, True, True, True, False]
    assert len(extractor.failures) == 0


@pytest.mark.parametrize(("own", "read"), [(None, 2), (0, 0), (1, 1), (4, 4), (20, 4)])
def test_5_6_how_many_turns_before_is_a_setting_of_the_platform_and_of_a_space(
    double: ModelDouble, extractor: ModelExtractor, own: int | None, read: int
) -> None:
    """Of five turns the last is asked about with those before it."""
    assert build_vocabulary(effective_settings(Settings(), {})).turns_before == 3
    vocabulary = build_vocabulary(effective_settings(Settings(turns_before=2), {"turns_before": own}))
    turns = [f"Ann: Turn {word} names Acme Corporation and Globex." for word in ("a", "b", "c", "d", "e")]
    extractor.extract_entities(chunks_of(turns, speakers=True), vocabulary)
    last = next(part for part in double.prompts[0].split("#") if part.rstrip().endswith(turns[-1]))
    assert [f"(before) {turn}" in last for turn in turns[:-1]] == [False] * (4 - read) + [True] * read


@pytest.mark.parametrize("mode", [M.HALF_ENVELOPE, M.HTML, M.CHOICES_NULL, M.CONTENT_NULL, M.CUT_JSON])
def test_one_bad_reply_costs_one_more_call_and_nothing_else(
    double: ModelDouble, extractor: ModelExtractor, mode: M
) -> None:
    double.faults.add(Fault(mode, times=1))
    entities, _ = both(extractor, chunks_of(TEXTS[:8]))
    assert all(entities)
    assert len(double.calls) == 3
    assert "Your last answer did not fit" in double.prompts[1]
    assert extractor.failures == []


@pytest.mark.parametrize("mode", [M.WRONG_SCHEMA, M.NAN_CONFIDENCE])
def test_what_does_not_fit_the_schema_is_named_and_asked_again(
    double: ModelDouble, extractor: ModelExtractor, mode: M
) -> None:
    double.faults.add(Fault(mode, times=1, containing='"relations"'))
    _, relations = both(extractor, chunks_of(TEXTS[:8]))
    assert all(relations)
    assert len(double.calls) == 3
    fault = double.prompts[2].split("Your last answer did not fit: ")[1]
    assert fault.startswith("There is no list" if mode is M.WRONG_SCHEMA else "Passage 1: finite_number")


def test_only_the_passages_that_did_not_fit_are_asked_again(
    double: ModelDouble, extractor: ModelExtractor, answers: InProcessAnswerStore
) -> None:
    chunks = chunks_of(TEXTS[:3])
    good = {"entities": [{"name": "Acme Corporation", "type": "Organization", "aliases": []}]}
    double.when(
        lambda prompt: "did not fit" not in prompt and '"entities"' in prompt,
        {"passages": [{"id": 1, **good}, {"id": 2, "entities": [{"name": 3}]}]},
    )
    entities = extractor.extract_entities(chunks, DEFAULT_VOCABULARY)
    assert [found[0].name for found in entities] == ["Acme Corporation", "Berta Berger", "Globex"]
    assert TEXTS[0] not in double.prompts[1]
    assert TEXTS[1] in double.prompts[1]
    assert TEXTS[2] in double.prompts[1]
    assert [call.outcome for call in answers.calls] == ["malformed", "ok"]


def test_a_poison_passage_takes_no_neighbour_along(double: ModelDouble, extractor: ModelExtractor) -> None:
    """Requirement 5.3: it is set aside with its reason, and the other chunks go on."""
    chunks = chunks_of([*TEXTS[:4], "Poison Company owns Venom Factory."])
    double.faults.add(Fault(M.CUT_JSON, containing="Poison Company"))
    entities, relations = both(extractor, chunks)
    assert [len(found) > 0 for found in entities] == [True] * 4 + [False]
    assert all(relations[:4])
    assert [(failure.chunk_id, failure.code) for failure in extractor.failures] == [
        (chunks[4].id, "malformed_answer")
    ]
    assert "cut off" in extractor.failures[0].message
    assert "Poison" not in extractor.failures[0].message
    assert len(double.calls) == 2 + 5 + 1


def test_a_model_of_rubbish_is_not_asked_for_ever(double: ModelDouble, extractor: ModelExtractor) -> None:
    double.when(lambda _: True, "lorem ipsum")
    chunks = chunks_of([f"Company Number{i} owns Factory Number{i}." for i in range(64)])
    entities, _ = both(extractor, chunks)
    assert not any(entities)
    assert len(extractor.failures) == 64
    # Two calls a batch, and single ones only until patience ends, in as many batches as run at once.
    assert 16 <= len(double.calls) <= 16 + 64


def test_nothing_invalid_is_kept(
    double: ModelDouble, extractor: ModelExtractor, answers: InProcessAnswerStore
) -> None:
    double.faults.add(Fault(M.WRONG_SCHEMA))
    both(extractor, chunks_of(TEXTS))
    assert answers.answers == {}
    assert len(extractor.failures) == len(TEXTS)
    assert {call.outcome for call in answers.calls} == {"malformed"}
    assert len(answers.calls) == len(double.calls)


def test_a_park_keeps_what_was_paid(
    double: ModelDouble, extractor: ModelExtractor, answers: InProcessAnswerStore
) -> None:
    """Row 23 in small: pass 1 was paid, pass 2 meets a dead server; the next attempt pays pass 2 alone."""
    double.faults.add(Fault(M.SERVER_ERROR, containing='"relations"'))
    chunks = chunks_of(TEXTS[:8])
    with pytest.raises(Parked):
        both(extractor, chunks)
    assert len(answers.answers) == 8
    before = len(double.calls)
    double.faults.clear()
    extractor._asker.client._breakers._breaker_by_key.clear()
    both(extractor, chunks)
    assert len(double.calls) == before + 1


def test_a_stop_ends_between_two_calls(
    double: ModelDouble, client: ModelClient, answers: InProcessAnswerStore, tenant: TenantId
) -> None:
    asked = itertools.count()
    stopping = ModelExtractor(client, answers, tenant_id=tenant, is_stop_requested=lambda: next(asked) >= 1)
    with pytest.raises(StopRequested):
        both(stopping, chunks_of(TEXTS[:8]))
    assert (len(double.calls), len(answers.answers)) == (1, 8)


def test_ten_thousand_entities_are_cut_and_counted(
    double: ModelDouble, extractor: ModelExtractor, answers: InProcessAnswerStore
) -> None:
    """Bad input 55."""
    double.faults.add(Fault(M.TOO_MANY))
    chunks = chunks_of(TEXTS[:1])
    entities, relations = both(extractor, chunks)
    kept, _ = keep_entities_named_in_chunk(chunks[0], entities[0], DEFAULT_VOCABULARY)
    grounded, drops = keep_relations_stated_in_chunk(chunks[0], kept, relations[0], DEFAULT_VOCABULARY)
    assert [entity.name for entity in kept] == ["Acme Corporation", "Rocketry", "Thrust"]
    assert len(grounded) == 2
    assert drops.by_reason["ungrounded"] > 300
    assert extractor.drop_counts["over_cap"] > 19_000
    assert extractor.drop_counts["not_in_text"] > 300
    assert all(len(str(answer)) < 130_000 for answer in answers.answers.values())


def test_an_unknown_relation_is_dropped_by_grounding(double: ModelDouble, extractor: ModelExtractor) -> None:
    double.faults.add(Fault(M.UNKNOWN_RELATION))
    chunks = chunks_of(TEXTS[:1])
    entities, relations = both(extractor, chunks)
    grounded, drops = keep_relations_stated_in_chunk(chunks[0], entities[0], relations[0], DEFAULT_VOCABULARY)
    assert grounded == []
    assert drops.by_reason["unknown_relation"] == 2


def test_a_near_miss_verb_finds_its_type(double: ModelDouble, extractor: ModelExtractor) -> None:
    said = {"from": "Thrust", "to": "Berta Berger", "relation": "Created By", "confidence": 0.9}
    for matches, answer in scripted(relations=[said | {"quote": "Berta Berger created Thrust."}]):
        double.when(matches, answer)
    chunks = chunks_of([TEXTS[1]])
    entities, relations = both(extractor, chunks)
    grounded, _ = keep_relations_stated_in_chunk(chunks[0], entities[0], relations[0], DEFAULT_VOCABULARY)
    names = [entity.name for entity in entities[0]]
    assert [(names[r.from_entity], r.relation_type, names[r.to_entity]) for r in grounded] == [
        ("Berta Berger", "created", "Thrust")
    ]


def test_only_names_of_pass_1_can_be_related(double: ModelDouble, extractor: ModelExtractor) -> None:
    said = {"from": "Acme Corporation", "to": "Cayman Islands", "relation": "owns", "confidence": 1.0}
    for matches, answer in scripted(relations=[said | {"quote": TEXTS[0]}]):
        double.when(matches, answer)
    _, relations = both(extractor, chunks_of(TEXTS[:1]))
    assert relations == [()]
    assert extractor.drop_counts["unknown_entity"] == 1


def test_a_nul_and_half_a_surrogate_leave_no_trace(
    double: ModelDouble, extractor: ModelExtractor, answers: InProcessAnswerStore
) -> None:
    double.faults.add(Fault(M.NUL))
    entities, _ = both(extractor, chunks_of(TEXTS[:1]))
    assert [entity.name for entity in entities[0]] == ["Acme Corporation", "Rocketry", "Thrust"]
    assert "\x00" not in str(answers.answers)
    assert "\\ud800" not in ascii(answers.answers)


def test_aliases_that_are_part_of_a_name_stay_in_their_document(
    double: ModelDouble, extractor: ModelExtractor
) -> None:
    text = "Marie Curie, or Curie, worked on Radium at the International Business Machines (IBM) laboratory."
    found = [
        {"name": "Marie Curie", "type": "Person", "aliases": ["Curie", "Madame"]},
        {"name": "International Business Machines", "type": "organization", "aliases": ["IBM"]},
        {"name": "marie curie", "type": "Person", "aliases": []},
    ]
    for matches, answer in scripted(entities=found):
        double.when(matches, answer)
    marie, ibm = extractor.extract_entities(chunks_of([text]), DEFAULT_VOCABULARY)[0]
    assert (marie.aliases, marie.short_names, len(marie.surfaces)) == ((), ("Curie",), 2)
    assert (ibm.aliases, ibm.short_names, ibm.node_type) == (("IBM",), (), "Organization")


def test_homonyms_of_different_types_stay_apart(double: ModelDouble, extractor: ModelExtractor) -> None:
    text = "Mercury orbits the Sun. Mercury Records belongs to Mercury. Mercury owns Polygram."
    found: list[dict[str, Any]] = [
        {"name": "Mercury", "type": kind, "aliases": []} for kind in ("Location", "Organization")
    ]
    said = {"from": "Mercury (Organization)", "to": "Polygram", "relation": "owns", "confidence": 0.9}
    polygram = {"name": "Polygram", "type": "Organization", "aliases": []}
    for matches, answer in scripted([*found, polygram], [said | {"quote": "Mercury owns Polygram."}]):
        double.when(matches, answer)
    entities, relations = both(extractor, chunks_of([text]))
    assert [entity.node_type for entity in entities[0]] == ["Location", "Organization", "Organization"]
    assert relations[0][0].from_entity == 1


def passages_of_400_characters() -> list[str]:
    corpus = Path(__file__).resolve().parents[2] / "examples" / "corpus"
    words = " ".join(path.read_text("utf-8") for path in sorted(corpus.glob("*.md"))).split()
    made, current = [], ""
    for word in words:
        if len(current) + len(word) >= 400:
            made.append(current)
            current = word
        else:
            current = f"{current} {word}".strip()
    return made[:40]


def test_forty_passages_cost_little(make_client: MakeClient, tenant: TenantId) -> None:
    """Issue 3: at most 0.5 calls and 450 prompt tokens per passage, both passes; 500 ms a call, 3.5 s in
    all.
    """
    texts = passages_of_400_characters()
    assert len(texts) == 40
    with ModelDouble(RulesAnswerer()) as double:
        extractor = ModelExtractor(make_client(double.base_url), InProcessAnswerStore(), tenant_id=tenant)
        entities, relations = both(extractor, chunks_of(texts))
        assert sum(map(bool, entities)) > 35
        assert sum(map(bool, relations)) > 20
        assert len(double.calls) <= 0.5 * len(texts)
        assert sum(call.prompt_tokens for call in double.calls) <= 410 * len(texts)
        assert len(double.calls) <= 8


def test_a_slow_model_can_be_given_fewer_at_a_time(
    double: ModelDouble, client: ModelClient, answers: InProcessAnswerStore, tenant: TenantId
) -> None:
    few = ModelExtractor(client, answers, tenant_id=tenant, call_size=CallSize(2))
    few.extract_entities(chunks_of(TEXTS), DEFAULT_VOCABULARY)
    assert len(double.calls) == 5


def test_each_injected_error_costs_one_call_and_changes_nothing(
    make_client: MakeClient, tenant: TenantId
) -> None:
    """Fault row 3 for the model alone: what is found is what an undisturbed run finds."""
    chunks = chunks_of([f"Company Number{i} owns Factory Number{i}." for i in range(60)])
    runs = []
    faults = [Fault(M.RATE_LIMITED, probability=0.05), Fault(M.HALF_ENVELOPE, probability=0.04)]
    for injected in ([], [*faults, Fault(M.SERVER_ERROR, probability=0.05)]):
        with ModelDouble(RulesAnswerer(), faults=injected, seed=3) as double:
            client = make_client(double.base_url, parallel=1)
            extractor = ModelExtractor(
                client, InProcessAnswerStore(), tenant_id=tenant, call_size=CallSize(1)
            )
            runs.append((both(extractor, chunks), extractor.failures))
            outcomes = [call.outcome for call in double.calls]
            assert len(outcomes) == 120 + sum(outcome != "ok" for outcome in outcomes)
    assert len(outcomes) > 130
    assert runs[0] == runs[1]
