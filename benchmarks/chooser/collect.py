"""Keep what was retrieved for each question of packs: python -m benchmarks.chooser.collect FOLDER PACK...

Each set is loaded as `citegraph eval answers` loads it and asked the same way; FOLDER gets one file a set
that exists not yet. Training and cross-validation choose sentences from these files again and again.
"""

import argparse
import gzip
import pickle
from pathlib import Path

from app.answers.evaluation import AnswerCounts, load_question_sets
from app.answers.shapes import ContextFound, FinalAnswer, Question
from app.cli.evaluate import (
    EVALUATION_TENANT,
    Extraction,
    connect_evaluation_operator,
    get_embedding_settings,
    load_question_set_into_space,
    read_json_or_gzipped_json,
    show_answer_scores,
)
from app.llm.servers import NO_MODEL
from app.settings import read_settings
from benchmarks.chooser.data import Collected


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("packs", type=Path, nargs="+")
    parser.add_argument("--set", action="append")
    parser.add_argument("--embedding", default="hashed")
    parser.add_argument("--limit", type=int)
    chosen = parser.parse_args()
    settings = read_settings().model_copy(
        update={
            "tenant": EVALUATION_TENANT,
            "llm_model": NO_MODEL,
            **get_embedding_settings(chosen.embedding),
        }
    )
    with connect_evaluation_operator(settings) as me:
        for pack in chosen.packs:
            raw = read_json_or_gzipped_json(pack)
            groups = groups_of(raw)
            for part in load_question_sets(raw, chosen.set or ()):
                name = f"{pack.name.split('.')[0]}-{part.name}"
                path = chosen.folder / f"{name}.pickle.gz"
                if path.exists():
                    continue
                passages = {"name": name, "passages": part.documents}
                where, _ = load_question_set_into_space(me, passages, chosen.embedding, Extraction.OWN)
                counts = AnswerCounts(milliseconds=[0.0])
                kept = []
                for question in part.questions[: chosen.limit]:
                    for event in me.citegraph.answerer.ask(*where, Question(question.text)):
                        if isinstance(event, ContextFound):
                            found = event
                    assert isinstance(event, FinalAnswer)
                    counts.add_answer_to_counts(
                        question, event, [passage.text for passage in found.retrieval.passages]
                    )
                    group = groups.get(question.id.removesuffix("-strange"), question.id)
                    kept.append(Collected(question, group, found.retrieval, found.context))
                with gzip.open(path, "wb", compresslevel=1) as file:
                    pickle.dump(kept, file)
                show_answer_scores({"set": name, **counts.compute_percentages(), "milliseconds_p50": 0.0})


def groups_of(pack: dict[str, object]) -> dict[str, str]:
    """The title of each question's document; a question about passages is a group of its own."""
    found = {}
    for part in pack.get("sets") or [pack]:  # type: ignore[attr-defined]
        titles = {document["id"]: document["title"] for document in part.get("documents", ())}
        for question in part["questions"]:
            document = question.get("document")
            found[question["id"]] = titles.get(document, question["id"])
    return found


if __name__ == "__main__":
    main()
