"""The question whether two things are one reaches the model in the letters of the text."""

import json

import pytest

from app.llm.prompts.same_entity import parse_name_pair, render_passage


def test_names_keep_their_letters() -> None:
    """Escaped, a Chinese or Polish name costs a model several tokens a letter."""
    rendered = render_passage(
        ("Łukasz", "Person", "Łukasz spoke."), ("阿里巴巴", "Organization", "阿里巴巴成立。")
    )
    assert "Łukasz spoke." in rendered
    assert "阿里巴巴" in rendered
    assert json.loads(rendered)["b"] == {"name": "阿里巴巴", "type": "Organization", "text": "阿里巴巴成立。"}
    assert parse_name_pair(rendered) == ("Łukasz", "阿里巴巴")


def test_a_thing_without_its_text_is_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        render_passage(("Ada", "Person"), ("Ada", "Person", "Ada spoke."))
    with pytest.raises(ValueError, match="zip"):
        render_passage(("Ada", "Person", "Ada spoke."), ("Ada", "Person"))
