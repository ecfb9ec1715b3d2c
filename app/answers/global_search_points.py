"""Ask a model what each community report says about a question, several reports in one call: the map step of
map-reduce (requirement 10.4).
"""

from collections.abc import Sequence
from typing import NamedTuple

from app.answers.global_search import Report, ReportPoint
from app.llm.model_calls.asker import Asker
from app.llm.model_calls.malformed_answer_retries import Fault
from app.llm.prompts import report_points


class PointsOfReports(NamedTuple):
    """The points of all reports, most helpful first, and the number of reports without an answer."""

    points: list[ReportPoint]
    unanswered_report_count: int


def ask_model_for_points(asker: Asker, question: str, reports: Sequence[Report]) -> PointsOfReports:
    """Return the points of all reports, most helpful first, and the number of reports without an answer of
    the model.

    Answers are cached: an unchanged report is not paid for again with the same question. Points that cite no
    finding of their report are dropped. Raises the errors of the Asker.
    """
    passages = [
        report_points.render_passage(
            question,
            title=report.title,
            summary=report.summary,
            findings=[text for text, _ in report.findings],
        )
        for report in reports
    ]
    points: list[ReportPoint] = []
    unread_count = 0
    for report, answer in zip(reports, asker.ask(report_points.PROMPT, passages), strict=True):
        if isinstance(answer, Fault):
            unread_count += 1
            continue
        for point in answer["points"][: report_points.MAX_POINTS]:
            finding_numbers = [number for number in point["findings"] if 1 <= number <= len(report.findings)]
            edge_by_id = {
                edge.id: edge for number in finding_numbers for edge in report.findings[number - 1][1]
            }
            text = " ".join(point["text"].split())
            if text and edge_by_id and point["helpful"] > 0:
                points.append(ReportPoint(report, text, point["helpful"], tuple(edge_by_id.values())))
    # The sort is stable: of equally helpful points, those of the more relevant report come first.
    return PointsOfReports(sorted(points, key=lambda point: -point.helpfulness), unread_count)
