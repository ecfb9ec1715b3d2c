"""Commands about model servers: try what is asked of one before documents are handed in."""

from dataclasses import asdict

import typer

from app.cli.options import AsJson, make_group
from app.cli.output import say, show_json, show_table
from app.llm.model_check import check_model, price_in_words
from app.settings import read_settings

model_app = make_group("model", "Try the model server that is set.")


@model_app.callback()
def models() -> None:
    """Try the model server that is set."""


@model_app.command("check")
def check(as_json: AsJson = False) -> None:
    """Try chat, answers by a JSON schema and vectors; says what works, how fast and at what price."""
    settings = read_settings()
    tried = check_model(settings)
    if as_json:
        show_json([{**asdict(each), "price": price_in_words(settings, each.model)} for each in tried])
    else:
        show_table(
            ["TRIED", "MODEL", "WORKS", "SECONDS#", "TOKENS#", "DOLLARS#", ""],
            (
                [
                    each.what,
                    each.model,
                    each.works,
                    f"{each.seconds:.2f}",
                    each.prompt_tokens + each.completion_tokens,
                    "?" if each.cost_usd is None else f"{each.cost_usd:.6f}",
                    each.detail,
                ]
                for each in tried
            ),
        )
        for model in dict.fromkeys(each.model for each in tried):
            say(f"{model}: {price_in_words(settings, model)}.")
        if settings.embedding_model is None:
            say("No embedding model is set: vectors are hashed here, which costs nothing.")
    if not all(each.works for each in tried):
        raise typer.Exit(1)
