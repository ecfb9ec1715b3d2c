"""Comments of tables and columns in plain English, for whoever reads them in psql.

Nothing but comments changes (requirement 13.3).
"""

from collections.abc import Sequence

from alembic import op

revision: str = "0069"
down_revision: str | None = "0068"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off
# Table, column or None for the table itself, comment before, comment now.
COMMENTS = (
    ('community', None, 'Communities: nodes that hang together, by levels, with a report that cites edges.', 'Communities: groups of closely connected nodes, by levels, each with a report that cites edges.'),
    ('community', 'id', 'Made of its first members, so that a run repeated gives it again.', 'Derived from its first members, so that a repeated run finds the same community.'),
    ('community_run', 'graph_revision', "The space's graph revision that was read; while it stands nothing is to be done.", "The space's graph revision that the run read; while it is current there is nothing to do."),
    ('edge_change', 'added', 'Edges that were written, or stand again.', 'Edges that were written or restored.'),
    ('webhook', None, "Addresses that are told of a tenant's events. Walled by app.tenant_id.", "Addresses that receive a tenant's events. Walled by app.tenant_id."),
    ('webhook', 'tenant_id', 'The tenant whose events it is told of.', 'The tenant whose events it receives.'),
    ('webhook', 'events', 'The events that it is told of.', 'The events that it receives.'),
    ('webhook', 'old_secret', 'The key before that one.', 'The previous key of its signatures.'),
    ('webhook', 'old_secret_until', 'How long that one signs too.', 'Until when the previous key signs too.'),
    ('webhook', 'retry_at', 'Until when it rests after a failure.', 'When it is tried again after a failure.'),
    ('webhook', 'dropped', 'Messages that were not kept for it, since too many waited.', 'Messages that were dropped because too many waited.'),
    ('webhook_delivery', 'webhook_id', 'The webhook that is told.', 'The webhook that receives it.'),
    ('webhook_delivery', 'event_key', 'What happened and to what: told once.', 'The event and its object, so that it is sent once.'),
    ('webhook_delivery', 'data', 'Ids, codes, numbers; no word of a document.', 'Ids, codes and numbers; no text of a document.'),
    ('webhook_delivery', 'leased_until', 'How long a worker has it.', 'Until when a worker holds it.'),
    ('webhook_queue', 'leased_until', 'How long a worker has one of its messages.', 'Until when a worker holds one of its messages.'),
    ('idempotent_request', 'changed', 'Whether it changed anything; a read is run again.', 'Whether the request changed anything; a read is run again.'),
    ('node_pair_verdict', None, 'Verdicts on pairs of names, so that no pair is asked about twice and a no is kept.', 'Verdicts on pairs of names, so that no pair is decided twice and a rejection is kept.'),
    ('node_pair_verdict', 'same', 'Whether both are one thing.', 'Whether both names mean the same thing.'),
    ('node_summary', 'pending', 'Whether something worth a refresh waits.', 'Whether a refresh was deferred.'),
    ('node_summary', 'due_at', 'When what waits is looked at again; null where nothing waits.', 'When a deferred refresh is checked again; null where none is deferred.'),
    ('node_summary', 'seen_claims', '64 bits for each fact seen then: what came and went since is told by them.', '64 bits for each fact that the gate saw then, by which it tells facts added and removed since.'),
    ('summary_episode', 'came', 'Whether a fact was new.', 'Whether a fact was added.'),
    ('summary_episode', 'negates', 'Whether a new one denies something.', 'Whether an added fact denies something.'),
    ('audit_event', 'outcome', 'done or refused; what failed changed nothing and has no row.', 'done or refused; an action that failed changed nothing and has no row.'),
    ('audit_event', 'target_id', 'The id of the thing acted upon.', 'The id of the object of the action.'),
    ('audit_event', 'other_ids', 'Ids of what the act concerned besides.', 'Ids of other objects that the action concerned.'),
    ('audit_event', 'actor_kind', 'account, key, operator, job; unknown for rows of before.', 'account, key, operator, job; unknown for rows of earlier versions.'),
    ('audit_event', 'door', 'api, dashboard, cli or worker; program for rows of before.', 'The interface used: api, dashboard, cli or worker; program for rows of earlier versions.'),
    ('usage_of_deleted', None, 'What spaces used in a month in which they were deleted: else whoever deletes a space gets its share of budget and tokens again. Walled by app.tenant_id.', 'What spaces used in the month in which they were deleted, so that deleting a space gives back no budget or tokens. Walled by app.tenant_id.'),
    ('tenant', 'closed_at', 'When its erasure was asked for: nobody finds it any more but the workers that remove what it owns.', 'When its erasure was requested: from then on only the workers that remove its data find it.'),
    ('tenant', 'last_claimed_at', 'When a worker last took one of its jobs: who waited longest is served next.', 'When a worker last claimed one of its jobs; the tenant that waited longest is served next.'),
    ('account', 'email', 'In lower case; by it the account is found.', 'In lower case; accounts are looked up by it.'),
    ('knowledge_space', 'closed_at', 'When the space was deleted: nobody opens it any more but the job that removes what it owns.', 'When the space was deleted: from then on only the job that removes its data opens it.'),
    ('knowledge_space', 'newest_vector_set', 'The set that was begun last, whatever became of it: the next one gets the next number.', 'The number of the newest set of vectors, whether it was finished or not; the next set gets the next number.'),
    ('knowledge_space', 'erasures', 'How often documents or chunks were deleted: what a model says meanwhile is not kept.', "How often documents or chunks were deleted; a model's answer that was asked for before a deletion is not stored."),
    ('graph_layout', None, 'Where the parts of a drawn graph stand: ids and numbers, no word of any document. May be emptied at any time.', 'Positions of the nodes of a drawn graph: ids and numbers, no text of a document. May be emptied at any time.'),
    ('graph_layout', 'part', 'top, or what is inside a community, or ties of one.', 'Which drawing: the top level, the inside of a community, or the ties of one.'),
    ('graph_node', 'deleted_at', 'Not used any more: a node stands as long as its row.', 'Not used any more: a node exists as long as its row.'),
    ('job', 'stage', 'Where it stands, for people.', 'The current step, for people.'),
    ('node_merge', 'loser_node_id', 'The node that went; it returns under this id.', 'The node that was removed; undoing the merge restores it under this id.'),
    ('node_mention', 'titular', "Whether the chunk's document or innermost heading is called so.", "Whether the name is the title of the chunk's document or its innermost heading."),
    ('space_size', None, 'What spaces hold, as a sum of rows that triggers add with each change; the ground of quotas. Walled by app.tenant_id.', 'What spaces hold, as sums of rows that triggers add with each change; quotas are checked against it. Walled by app.tenant_id.'),
    ('space_size', 'documents', 'Documents more; below 0: fewer.', 'Documents added; negative: removed.'),
    ('space_size', 'bytes', 'Bytes more of documents as they were handed in.', 'Bytes of submitted documents added; negative: removed.'),
    ('space_size', 'chunks', 'Chunks more.', 'Chunks added; negative: removed.'),
    ('space_size', 'nodes', 'Nodes more.', 'Nodes added; negative: removed.'),
    ('usage_daily', None, 'Counters per tenant, space and day; the ground of bills and quotas. Walled by app.tenant_id.', 'Counters per tenant, space and day, from which bills and quotas are computed. Walled by app.tenant_id.'),
    ('changed_node', 'change', 'Another one at each change: whoever looked takes away no note of what came since.', 'A new value at each change, so that clearing a row does not clear a later change.'),
    ('golden_outcome', None, 'What became of each golden question in each run: no word of an answer, and what it cost.', 'Outcome and cost of each golden question in each run, without any text of an answer.'),
    ('job_error', None, 'What a job set aside and why; the rest of the job went on.', 'Documents and chunks that a job set aside, and why; the rest of the job continued.'),
    ('model_answer_chunk', None, 'Which chunks a kept answer of a model is about: with the last of them it goes.', 'Which chunks a stored answer of a model is about; it is deleted with the last of them.'),
    ('chunk_recall', None, 'How often, how well and when last chunks were returned to callers; what eviction goes by.', 'How often, with which scores and when last chunks were returned to callers; eviction decides by it.'),
    ('edge_recall', None, 'How often, how well and when last edges were returned to callers; what the score of a fact goes by.', 'How often, with which scores and when last edges were returned to callers; part of the score of a fact.'),
    ('trial_reading', None, 'Trials: what another model, or other settings, read in a sample of chunks. Nothing of it stands in the graph.', 'Trials: what another model, or other settings, extracted from a sample of chunks. Nothing of it is in the graph.'),
    ('wall_examination', None, 'Verdicts on the walls between tenants, as they were last examined for operators who belong to this tenant: names of tables and roles, no word of any document. Walled by app.tenant_id.', 'Verdicts on the walls between tenants as of their last examination, for operators who belong to this tenant: names of tables and roles, no text of a document. Walled by app.tenant_id.'),
    ('document', 'trust', 'From 0.01 to 1: what it states weighs so much, and ends no claim of a document with more.', 'From 0.01 to 1: the weight of its statements; they end no claim of a document with a higher trust.'),
    ('knowledge_chunk', 'quarantine_code', 'Stable code of why no graph could be drawn of it; null where one was, or nobody tried yet.', 'Stable code of why no graph could be extracted from it; null where one was, or nobody tried yet.'),
    ('document', 'quarantined_chunks', 'Chunks of which no graph could be drawn, as counted when it was last read; a retry reads these alone.', 'Chunks from which no graph could be extracted, as counted when it was last read; a retry reads these alone.'),
    ('sign_in_link', 'role', 'The role there.', 'The role that the account gets in that tenant.'),
    ('edge_invalidation', 'graph_revision', "The space's graph revision of the decision.", "The space's graph revision at the decision."),
    ('edge_change', 'from_node_id', 'Where it began.', 'The node at which that edge started.'),
    ('edge_change', 'to_node_id', 'Where it ended.', 'The node to which that edge led.'),
    ('summary_episode', 'vector_of', 'Number of the episode that has the vector: this one, or an earlier one of the same.', 'Number of the episode that has the vector: this one, or an earlier one of the same node.'),
    ('community', 'weight', "Summed weight of its nodes' pairs within its parent, at level 0 all of them, each end counted: what modularity goes by.", "Sum of the weights of its nodes' pairs within its parent, at level 0 of all their pairs, each pair counted at both ends; used for modularity."),
    ('community', 'inner_weight', 'Summed weight of the pairs inside it, each end counted.', 'Sum of the weights of the pairs inside it, each counted at both ends.'),
    ('community_run', 'weight', 'Summed weight of its pairs, each end counted.', 'Sum of the weights of its pairs, each counted at both ends.'),
)
# fmt: on


def upgrade() -> None:
    for table, column, _, comment in COMMENTS:
        _comment(table, column, comment)


def downgrade() -> None:
    for table, column, comment, _ in COMMENTS:
        _comment(table, column, comment)


def _comment(table: str, column: str | None, comment: str) -> None:
    target = f"TABLE {table}" if column is None else f"COLUMN {table}.{column}"
    literal = comment.replace("'", "''")
    op.execute(f"COMMENT ON {target} IS '{literal}'")
