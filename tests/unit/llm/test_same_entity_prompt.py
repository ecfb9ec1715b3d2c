"""The question whether two things are one reaches the model in the letters of the text."""

import json

from app.llm.prompts.same_entity import NamedThing, render_passage


def test_names_keep_their_letters() -> None:
    """Escaped, a Chinese or Polish name costs a model several tokens a letter."""
    rendered = render_passage(
        NamedThing("Łukasz", "Person", "Łukasz spoke."),
        NamedThing("阿里巴巴", "Organization", "阿里巴巴成立。"),
    )
    assert "Łukasz spoke." in rendered
    assert "阿里巴巴" in rendered
    assert json.loads(rendered)["b"] == {"name": "阿里巴巴", "type": "Organization", "text": "阿里巴巴成立。"}
