"""Worked examples in prompts: one by the language of the texts, behind what is the same for every call."""

import json

import pytest

from app.llm.prompts import entities, relations
from app.llm.prompts.shapes import Prompt

TYPES = ["works_for", "head_of"]
ENTITIES = entities.build_prompt(["Person", "Organization"])
RELATIONS = relations.build_prompt(TYPES, open_relations=False)


@pytest.mark.parametrize("prompt", [ENTITIES, RELATIONS], ids=["entities", "relations"])
def test_each_language_has_an_example_whose_words_stand_in_its_sentence(prompt: Prompt) -> None:
    assert {"en", "de", "fr", "es", "ru", "ar", "hi", "th", "zh", "ja", "ko", "tr"} <= prompt.examples.keys()
    for example in prompt.examples.values():
        line, _, answer = example.partition("\n")
        sentence = line.partition(": ")[2]
        read = prompt.entry_model.model_validate(json.loads(answer)).model_dump()
        for relation in read.get("relations", ()):
            assert relation["quote"] == sentence
            assert relation["denied_by"] in sentence
            assert relation["dated_by"] in sentence


def test_the_prefix_is_the_same_in_every_language_and_another_one_is_shown_in_english() -> None:
    systems = [RELATIONS.build_messages(["x"], language=code)[0]["content"] for code in ("zh", "en", "fi")]
    assert systems[1] == systems[2] != systems[0]
    assert all(system.startswith(RELATIONS.system) for system in systems)
    key = RELATIONS.compute_key("x", model="m", parameters={})
    assert key == relations.build_prompt(TYPES, open_relations=False).compute_key(
        "x", model="m", parameters={}
    )


def test_a_space_without_the_types_of_the_examples_has_none() -> None:
    assert entities.build_prompt(["Product"]).examples == {}
    assert relations.build_prompt(["uses"], open_relations=False).examples == {}
