"""One definition of which claims hold, and views that follow it (requirement 13.1).

`inspect_edges` showed claims that had ended, and denials, as facts, and `inspect_relation_types` counted them. Both show what
holds now; `inspect_claims` shows all claims and how each stands. Views have an order, and their columns say what is in them.
"""

import re
from collections.abc import Sequence

import sqlalchemy as sa

from alembic import op

revision: str = "0054"
down_revision: str | None = "0053"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# Without a moment the rest is planned away, and an index that carries the first two columns is enough.
HOLDS = """
CREATE FUNCTION edge_holds(deleted_at timestamptz, invalidated_at timestamptz, valid_from timestamptz DEFAULT NULL,
                           as_of timestamptz DEFAULT NULL) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN deleted_at IS NULL AND CASE WHEN as_of IS NULL THEN invalidated_at IS NULL
    ELSE as_of >= coalesce(valid_from, '-infinity') AND as_of < coalesce(invalidated_at, 'infinity') END
"""
WORDS = """SELECT e.knowledge_space_id, e.id, f.canonical_name AS from_name, e.relation_type,
                  t.canonical_name AS to_name, e.weight, e.confidence, e.status,
                  e.metadata ->> 'quote' AS quote, d.title AS document,
                  c.char_start + (e.metadata ->> 'charStart')::int AS char_start,
                  c.char_start + (e.metadata ->> 'charEnd')::int AS char_end{more}
           FROM graph_edge e
           JOIN graph_node f ON f.knowledge_space_id = e.knowledge_space_id AND f.id = e.from_node_id
           JOIN graph_node t ON t.knowledge_space_id = e.knowledge_space_id AND t.id = e.to_node_id
           LEFT JOIN knowledge_chunk c
                  ON c.knowledge_space_id = e.knowledge_space_id AND c.id = e.evidence_chunk_id
           LEFT JOIN document d ON d.knowledge_space_id = c.knowledge_space_id AND d.id = c.document_id
           WHERE {condition} ORDER BY e.knowledge_space_id, e.id"""
STANDING = """,
                  CASE WHEN e.polarity = 'denied' THEN 'denied'
                       WHEN edge_holds(e.deleted_at, e.invalidated_at) THEN 'holds' ELSE 'ended' END AS standing,
                  e.valid_from, CASE WHEN e.polarity = 'asserted' THEN e.invalidated_at END AS ended_at"""
VIEWS = {
    "inspect_relation_types": (
        "Claims that hold per relation type, with average weight and confidence; most frequent first.",
        """SELECT knowledge_space_id, relation_type, count(*) AS edges, avg(weight) AS avg_weight,
                  avg(confidence) AS avg_confidence, count(evidence_chunk_id) AS with_evidence
           FROM graph_edge WHERE edge_holds(deleted_at, invalidated_at) GROUP BY knowledge_space_id, relation_type
           ORDER BY knowledge_space_id, edges DESC, relation_type""",
    ),
    "inspect_top_nodes": (
        "Nodes with their mentions and degrees, most mentioned first.",
        """SELECT knowledge_space_id, id, canonical_name, node_type, mention_count, out_degree, in_degree,
                  out_degree + in_degree AS degree, first_seen_at, last_seen_at
           FROM graph_node ORDER BY knowledge_space_id, mention_count DESC, id""",
    ),
    "inspect_orphan_nodes": (
        "Nodes that no edge touches, most mentioned first.",
        """SELECT n.knowledge_space_id, n.id, n.canonical_name, n.node_type, n.mention_count
           FROM graph_node n
           WHERE NOT EXISTS (SELECT 1 FROM graph_edge e WHERE e.knowledge_space_id = n.knowledge_space_id
                             AND e.from_node_id = n.id AND e.deleted_at IS NULL)
             AND NOT EXISTS (SELECT 1 FROM graph_edge e WHERE e.knowledge_space_id = n.knowledge_space_id
                             AND e.to_node_id = n.id AND e.deleted_at IS NULL)
           ORDER BY n.knowledge_space_id, n.mention_count DESC, n.id""",
    ),
    "inspect_ungrounded_edges": (
        "Edges whose evidence is gone, or whose quote is not in its chunk at its range: the second is never expected.",
        """SELECT e.knowledge_space_id, e.id, f.canonical_name AS from_name, e.relation_type,
                  t.canonical_name AS to_name, e.metadata ->> 'quote' AS quote,
                  CASE WHEN c.id IS NULL THEN 'evidence gone' ELSE 'quote not found' END AS reason
           FROM graph_edge e
           JOIN graph_node f ON f.knowledge_space_id = e.knowledge_space_id AND f.id = e.from_node_id
           JOIN graph_node t ON t.knowledge_space_id = e.knowledge_space_id AND t.id = e.to_node_id
           LEFT JOIN knowledge_chunk c
                  ON c.knowledge_space_id = e.knowledge_space_id AND c.id = e.evidence_chunk_id
           WHERE e.deleted_at IS NULL
             AND (c.id IS NULL OR substr(c.text, (e.metadata ->> 'charStart')::int + 1,
                    (e.metadata ->> 'charEnd')::int - (e.metadata ->> 'charStart')::int)
                  IS DISTINCT FROM e.metadata ->> 'quote')
           ORDER BY e.knowledge_space_id, e.id""",
    ),
    "inspect_edges": (
        "Claims that hold now in words, each with the document and the sentence that states it; in the order of their ids.",
        WORDS.format(more="", condition="edge_holds(e.deleted_at, e.invalidated_at)"),
    ),
    "inspect_claims": (
        "All claims in words, as inspect_edges has those that hold: also those that ended, and denials; standing says which.",
        WORDS.format(more=STANDING, condition="e.deleted_at IS NULL"),
    ),
    "inspect_ended_claims": (
        "Claims that ended, in words: by which person or later source, since when and why; undone_at is null while it holds.",
        """SELECT x.knowledge_space_id, x.edge_id, f.canonical_name AS from_name, e.relation_type, t.canonical_name AS to_name,
                  e.metadata ->> 'quote' AS quote, x.invalidated_at, x.kind, x.decided_by, x.reason, x.claim_dated_at,
                  s.metadata ->> 'quote' AS source_quote, x.created_at, x.undone_at, x.undone_by
           FROM edge_invalidation x
           LEFT JOIN graph_edge e ON e.knowledge_space_id = x.knowledge_space_id AND e.id = x.edge_id
           LEFT JOIN graph_node f ON f.knowledge_space_id = e.knowledge_space_id AND f.id = e.from_node_id
           LEFT JOIN graph_node t ON t.knowledge_space_id = e.knowledge_space_id AND t.id = e.to_node_id
           LEFT JOIN graph_edge s ON s.knowledge_space_id = x.knowledge_space_id AND s.id = x.source_edge_id
           ORDER BY x.knowledge_space_id, x.id""",
    ),
    "inspect_job_progress": (
        "Jobs with state, stage, per cent and errors, newest first.",
        """SELECT j.knowledge_space_id, j.id, j.kind, j.state, j.stage, round(j.progress::numeric, 1) AS percent,
                  j.counts, j.attempt, j.crash_count, j.error_code, j.error_message,
                  (SELECT count(*) FROM job_error x
                   WHERE x.knowledge_space_id = j.knowledge_space_id AND x.job_id = j.id) AS errors,
                  j.created_at, j.started_at, j.finalized_at
           FROM job j ORDER BY j.created_at DESC, j.id""",
    ),
    "inspect_token_cost": (
        "Model calls, tokens and cost per space and day, newest first.",
        """SELECT knowledge_space_id, (created_at AT TIME ZONE 'UTC')::date AS day, model, purpose,
                  count(*) FILTER (WHERE NOT cached) AS calls, count(*) FILTER (WHERE cached) AS cached_answers,
                  sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens,
                  sum(cost_usd) AS cost_usd
           FROM model_call GROUP BY knowledge_space_id, (created_at AT TIME ZONE 'UTC')::date, model, purpose
           ORDER BY day DESC, model, purpose""",
    ),
    "inspect_node_summaries": (
        "Summaries of nodes with what the gate last decided, the latest first.",
        """SELECT s.knowledge_space_id, s.node_id, n.canonical_name, n.node_type, s.text, s.written_by,
                  s.summarised_at, s.looked_at, s.last_reason, s.pending, s.due_at, s.refreshed, s.skipped
           FROM node_summary s
           JOIN graph_node n ON n.knowledge_space_id = s.knowledge_space_id AND n.id = s.node_id
           ORDER BY s.looked_at DESC, s.node_id""",
    ),
    "inspect_summary_gate": (
        "What the summary gate decided, by reason, with each reason''s share of all decisions; the most frequent first.",
        """SELECT knowledge_space_id, reason, refreshed, decisions,
                  decisions / sum(decisions) OVER (PARTITION BY knowledge_space_id) AS share, last_at
           FROM summary_count ORDER BY knowledge_space_id, decisions DESC, reason""",
    ),
}
# By column, or by view and column where a name means something else there.
COLUMNS = {
    "knowledge_space_id": "The knowledge space that the row belongs to.",
    "id": "Id of the edge.",
    "inspect_top_nodes.id": "Id of the node.",
    "inspect_orphan_nodes.id": "Id of the node.",
    "inspect_job_progress.id": "Id of the job.",
    "edge_id": "Id of the edge that ended.",
    "node_id": "Id of the node.",
    "from_name": "Name of the node that the claim is about.",
    "to_name": "Name of the node that the claim leads to.",
    "canonical_name": "Name of the node.",
    "relation_type": "What the claim says, such as works_for.",
    "node_type": "Kind of thing that the node is.",
    "edges": "How many edges hold.",
    "avg_weight": "Average of their weights, 0 to 1.",
    "avg_confidence": "Average of their confidences, 0 to 1.",
    "with_evidence": "How many of them still have the chunk that states them.",
    "weight": "How much the edge counts in ranking, 0 to 1.",
    "confidence": "How sure the extraction was, 0 to 1.",
    "status": "staged with one source, confirmed with several.",
    "quote": "The sentence that states the claim.",
    "document": "Title of the document that states it; null where that was deleted.",
    "char_start": "Where the quote begins in the text of the document, in characters.",
    "char_end": "Where the quote ends in the text of the document, in characters.",
    "standing": "holds, ended, or denied for what its sentence denies.",
    "valid_from": "Since when it holds, where that is known.",
    "ended_at": "Until when it held; null for what holds and for denials.",
    "mention_count": "How many chunks name the node.",
    "out_degree": "How many edges begin at the node, ended ones too.",
    "in_degree": "How many edges lead to the node, ended ones too.",
    "degree": "How many edges touch the node, ended ones too.",
    "first_seen_at": "When a document first named it.",
    "last_seen_at": "When a document last named it.",
    "reason": "Whether the evidence is gone or the quote is not found.",
    "inspect_ended_claims.reason": "Why it ended.",
    "inspect_summary_gate.reason": "The reason of the decision.",
    "invalidated_at": "Until when the claim held.",
    "kind": "What kind of job it is.",
    "inspect_ended_claims.kind": "What ended it: person, source, or replaced for a new version of its document.",
    "decided_by": "Who ended it.",
    "claim_dated_at": "The date of the claim with which the later source was compared.",
    "source_quote": "The sentence of the later source.",
    "created_at": "When it was decided.",
    "inspect_job_progress.created_at": "When the job was submitted.",
    "undone_at": "When that was taken back; null while it stands.",
    "undone_by": "Who took it back.",
    "state": "Where the job is: queued, running, done, failed, cancelled or parked.",
    "stage": "The stage that a running job is in.",
    "percent": "How much of it is done.",
    "counts": "What it has counted, such as chunks and nodes.",
    "attempt": "How often it was begun.",
    "crash_count": "How many workers died at it.",
    "error_code": "Code of what made it fail.",
    "error_message": "What made it fail, in a sentence.",
    "errors": "How many documents it could not read.",
    "started_at": "When it was first begun.",
    "finalized_at": "When it was done, failed or cancelled.",
    "day": "The day, in UTC.",
    "model": "The model that was asked.",
    "purpose": "What it was asked for.",
    "calls": "How many calls a model answered.",
    "cached_answers": "How many were answered from answers kept before.",
    "prompt_tokens": "Tokens of the prompts.",
    "completion_tokens": "Tokens of the answers.",
    "cost_usd": "Cost in dollars, by the prices of the time.",
    "text": "The summary.",
    "written_by": "rules, or the model that wrote it.",
    "summarised_at": "When it was written.",
    "looked_at": "When the gate last looked at the node.",
    "last_reason": "Why it was then written anew or left.",
    "pending": "Whether the gate waits before it has it written.",
    "due_at": "When it is looked at again by itself.",
    "refreshed": "How often it was written anew.",
    "inspect_summary_gate.refreshed": "Whether the summary was written anew.",
    "skipped": "How often it was left as it was.",
    "decisions": "How often it was decided so.",
    "share": "Their share of all decisions of the space.",
    "last_at": "When it was last decided so.",
}
# Columns of what stands besides: not used any more, or without a comment so far.
OTHERS = {
    "space_anchor.knowledge_space_id": "The open space.",
    "space_anchor.tenant_id": "The tenant that it belongs to.",
    "graph_node.deleted_at": "Not used any more: a node stands as long as its row.",
    "edge_change.node_id": "Not written any more: no node is hidden.",
}


def upgrade() -> None:
    op.execute(HOLDS)
    for name, (comment, query) in VIEWS.items():
        op.execute(f"CREATE OR REPLACE VIEW {name} WITH (security_invoker = true) AS {query}")
        op.execute(f"COMMENT ON VIEW {name} IS '{comment}'")
    views = "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v' AND c.relname = ANY(:views) ORDER BY 1, a.attnum"
    for view, column in op.get_bind().execute(sa.text(views), {"views": list(VIEWS)}).all():
        op.execute(
            f"COMMENT ON COLUMN {view}.{column} IS '{COLUMNS.get(f'{view}.{column}', COLUMNS.get(column))}'"
        )
    for column, comment in OTHERS.items():
        op.execute(f"COMMENT ON COLUMN {column} IS '{comment}'")


def downgrade() -> None:
    """The views as they were, but for nodes that were hidden, of which there are none any more."""
    op.execute("DROP VIEW inspect_claims")
    for name, (_, query) in VIEWS.items():
        if name != "inspect_claims":
            unordered = query[: query.rindex("ORDER BY")]
            before = re.sub(
                r"edge_holds\((e\.)?deleted_at, (e\.)?invalidated_at\)", r"\1deleted_at IS NULL", unordered
            )
            op.execute(f"CREATE OR REPLACE VIEW {name} WITH (security_invoker = true) AS {before}")
    op.execute("DROP FUNCTION edge_holds(timestamptz, timestamptz, timestamptz, timestamptz)")
