"""A trial as a dictionary, for API, command line and dashboard."""

from dataclasses import asdict
from typing import Any

from app.ingest.trials.comparison import ReadClaim
from app.ingest.trials.service import MAX_CLAIMS, Trial, TrialReport


def trial_view(trial: Trial) -> dict[str, Any]:
    """Return the trial's parameters and progress."""
    return {**asdict(trial), "state": trial.state.value}


def report_view(report: TrialReport, *, limit: int = MAX_CLAIMS) -> dict[str, Any]:
    """Return the trial compared with the graph, with at most `limit` claims of each kind."""
    comparison = report.comparison
    chunk_count = max(report.chunks, 1)
    return {
        "trial": trial_view(report.trial),
        "chunks": report.chunks,
        "failures": dict(report.failures),
        "read_by": dict(report.read_by),
        "seconds": round(report.seconds, 3),
        "seconds_per_chunk": round(report.seconds / chunk_count, 4),
        "cost_usd_per_chunk": report.trial.cost_usd / chunk_count,
        "same": comparison.same,
        "added": len(comparison.added),
        "lost": len(comparison.lost),
        "retyped": len(comparison.retyped),
        "by_relation": [
            {"relation_type": relation, **asdict(counts)}
            for relation, counts in comparison.by_relation.items()
        ],
        "added_claims": [_claim_view(report, claim) for claim in comparison.added[:limit]],
        "lost_claims": [_claim_view(report, claim) for claim in comparison.lost[:limit]],
        "retyped_claims": [
            {
                "graph_claim": _claim_view(report, pair.graph_claim),
                "trial_claim": _claim_view(report, pair.trial_claim),
            }
            for pair in comparison.retyped[:limit]
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
