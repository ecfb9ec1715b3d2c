"""Asks a model what each report says to a question, several reports to a call: the map of map and reduce
(10.4).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.answers.global_search import Report
from app.graph.shapes import Edge
from app.llm.model_calls.batching import Asker, Fault
from app.llm.prompts import report_points


@dataclass(frozen=True, slots=True)
class Point:
    """One sentence that a report says to the question, how much it helps (1 to 100), and what states it."""

    report: Report
    text: str
    helpful: int
    edges: tuple[Edge, ...]


def ask_points(asker: Asker, question: str, reports: Sequence[Report]) -> tuple[list[Point], int]:
    """The points of all reports, the most helpful first, and how many reports the model could not tell of.

    What it once said to this question of a report that is still the same is not paid again. A point that
    cites no finding of its report is none. Raises as the Asker does.
    """
    passages = [
        report_points.render_passage(
            question,
            title=community_report.title,
            summary=community_report.summary,
            findings=[text for text, _ in community_report.findings],
        )
        for community_report in reports
    ]
    points: list[Point] = []
    unread = 0
    for report, answer in zip(reports, asker.ask(report_points.PROMPT, passages), strict=True):
        if isinstance(answer, Fault):
            unread += 1
            continue
        for point in answer["points"][: report_points.MAX_POINTS]:
            findings = [number for number in point["findings"] if 1 <= number <= len(report.findings)]
            edges = {edge.id: edge for number in findings for edge in report.findings[number - 1][1]}
            text = " ".join(point["text"].split())
            if text and edges and point["helpful"] > 0:
                points.append(Point(report, text, point["helpful"], tuple(edges.values())))
    # Stable: of equals the report that shares more with the question, which stands first, tells first.
    return sorted(points, key=lambda point: -point.helpful), unread
