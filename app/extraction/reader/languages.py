"""Readers of the languages with shipped weights, loaded on first use."""

import json
import threading
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from app.lazy import import_object

if TYPE_CHECKING:
    from app.extraction.reader.kind_classifier import KindClassifier
    from app.extraction.reader.lemmas import Lemmas
    from app.extraction.reader.pipeline import Pipeline

_WEIGHTS = resources.files("app.extraction.reader") / "weights"
_LOADING_LOCK = threading.Lock()


def has_pipeline(language: str) -> bool:
    """Return whether weights are shipped for the language; loads nothing."""
    return language.isalpha() and (_WEIGHTS / f"{language}.npz").is_file()


def load_pipeline(language: str) -> "Pipeline | None":
    """Return the pipeline of a language by its ISO 639-1 code; None without weights for it."""
    # Without the lock, concurrent first calls would each load it.
    with _LOADING_LOCK:
        return _load_pipeline(language)


def load_parser(language: str) -> "Pipeline | None":
    """Return the pipeline of a language, if it parses; None if its weights find names only, or there are
    none.
    """
    pipeline = load_pipeline(language)
    return pipeline if pipeline is not None and pipeline.has_parser else None


def load_kind_classifier() -> "KindClassifier | None":
    """Return the classifier of the kinds of English names; None without its weights."""
    pipeline = load_pipeline("en")
    with _LOADING_LOCK:
        return None if pipeline is None else _load_kind_classifier(pipeline)


@cache
def _load_kind_classifier(pipeline: "Pipeline") -> "KindClassifier | None":
    weights_path = _WEIGHTS / "en.kinds.npz"
    if not weights_path.is_file():
        return None
    classifier_class: type[KindClassifier] = import_object(
        "app.extraction.reader.kind_classifier:KindClassifier"
    )
    with weights_path.open("rb") as weights_file:
        return classifier_class(dict(import_object("numpy").load(weights_file)), pipeline.embed_words)


@cache
def _load_pipeline(language: str) -> "Pipeline | None":
    if not has_pipeline(language):
        return None
    # Loading numpy and the tables takes a tenth of a second, which a command without extraction avoids.
    numpy = import_object("numpy")
    network_class = import_object("app.extraction.reader.network:Network")
    pipeline_class: type[Pipeline] = import_object("app.extraction.reader.pipeline:Pipeline")
    lemmas_class: type[Lemmas] = import_object("app.extraction.reader.lemmas:Lemmas")
    lemma_file = _WEIGHTS / f"{language}.lemmas.json"
    lemma_tables = (
        json.loads(lemma_file.read_text("utf-8")) if lemma_file.is_file() else {"endings": {}, "forms": {}}
    )
    endings_by_rule = {rule: frozenset(cut_endings) for rule, cut_endings in lemma_tables["endings"].items()}
    with (_WEIGHTS / f"{language}.npz").open("rb") as weights_file:
        return pipeline_class(
            network_class(dict(numpy.load(weights_file))),
            lemmas_class(endings_by_rule, lemma_tables["forms"]),
        )


def preload_pipelines() -> None:
    """Load all pipelines and the classifier of kinds, before a process forks its children."""
    for weights_path in _WEIGHTS.iterdir():
        if (pipeline := load_pipeline(weights_path.name.partition(".")[0])) is not None:
            pipeline.prepare()
    load_kind_classifier()
