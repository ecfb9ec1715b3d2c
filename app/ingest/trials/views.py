"""A trial as a dictionary, for API, command line and dashboard."""

from dataclasses import asdict
from typing import Any

from app.ingest.trials.comparison import ReadClaim
from app.ingest.trials.service import MOST_CLAIMS, Trial, TrialReport


def trial_view(trial: Trial) -> dict[str, Any]:
    """Return the trial's parameters and progress."""
    return {**asdict(trial), "state": trial.state.value}


def report_view(report: TrialReport, *, limit: int = MOST_CLAIMS) -> dict[str, Any]:
    """Return the trial compared with the graph, with at most `limit` claims of each kind."""
    difference = report.comparison
    chunk_count = max(report.chunks, 1)
    return {
        "trial": trial_view(report.trial),
        "chunks": report.chunks,
        "failures": dict(report.failures),
        "read_by": dict(report.read_by),
        "seconds": round(report.seconds, 3),
        "seconds_per_chunk": round(report.seconds / chunk_count, 4),
        "cost_usd_per_chunk": report.trial.cost_usd / chunk_count,
        "same": difference.same,
        "added": len(difference.added),
        "lost": len(difference.lost),
        "retyped": len(difference.retyped),
        "by_relation": [
            {"relation_type": relation, **asdict(counts)}
            for relation, counts in difference.by_relation.items()
        ],
        "added_claims": [_claim_view(report, claim) for claim in difference.added[:limit]],
        "lost_claims": [_claim_view(report, claim) for claim in difference.lost[:limit]],
        "retyped_claims": [
            {"standing": _claim_view(report, pair.standing), "read": _claim_view(report, pair.read)}
            for pair in difference.retyped[:limit]
        ],
    }


def _claim_view(report: TrialReport, claim: ReadClaim) -> dict[str, Any]:
    document_id, title = report.documents[claim.chunk_id]
    return {
        "chunk_id": claim.chunk_id,
        "document_id": document_id,
        "document_title": title,
        "from_name": claim.from_name,
        "relation_type": claim.relation_type,
        "to_name": claim.to_name,
        "polarity": claim.polarity,
        "confidence": claim.confidence,
        "quote": claim.quote,
    }
