"""Every table of the first schema, its keys, indexes and comments.

The schema grows by addition (requirement 13.3): old workers keep running while this is applied.
"""

from collections.abc import Sequence

import pgvector.sqlalchemy.halfvec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from alembic import op

revision: str = "0001"
down_revision: str | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# fmt: off
# One line a column: the shape in which Alembic writes it, which is the readable one for tables.


def upgrade() -> None:
    op.create_table('tenant',
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('name', sa.Text(), nullable=False, comment='Unique short name, shown to operators.'),
    sa.Column('max_running_jobs', sa.Integer(), server_default='3', nullable=False, comment='How many of its jobs may run at once (requirement 5.5).'),
    sa.Column('last_claimed_at', sa.DateTime(timezone=True), nullable=True, comment='When a worker last took one of its jobs: who waited longest is served next.'),
    sa.Column('settings', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False, comment="Tenant-wide settings that override the platform's."),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.Column('updated_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row last changed, by the database's clock."),
    sa.CheckConstraint('max_running_jobs BETWEEN 1 AND 1000', name=op.f('ck_tenant_max_running_jobs_range')),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_tenant')),
    sa.UniqueConstraint('name', name=op.f('uq_tenant_name')),
    comment='The customer: owns knowledge spaces, API keys and quota. Walled by app.tenant_id.'
    )
    op.create_table('api_key',
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant for which the key acts.'),
    sa.Column('key_id', sa.Text(), nullable=False, comment='The public part of the key, by which it is found.'),
    sa.Column('secret_hash', sa.Text(), nullable=False, comment='SHA-256 of the secret part, as hexadecimal.'),
    sa.Column('name', sa.Text(), nullable=False, comment="What the key is for, in its owner's words."),
    sa.Column('scopes', sa.ARRAY(sa.Text()), nullable=False, comment='What the key may do: read, write, admin.'),
    sa.Column('space_ids', sa.ARRAY(sa.Uuid()), nullable=True, comment='The spaces that the key may touch; null means every space of its tenant.'),
    sa.Column('expires_at', sa.DateTime(timezone=True), nullable=True, comment='When the key stops working; null means never.'),
    sa.Column('revoked_at', sa.DateTime(timezone=True), nullable=True, comment='When the key was revoked.'),
    sa.Column('last_used_at', sa.DateTime(timezone=True), nullable=True, comment='Last use, written at most once a minute.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_api_key_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_api_key')),
    sa.UniqueConstraint('key_id', name=op.f('uq_api_key_key_id')),
    comment='API keys: the SHA-256 of a random 256-bit secret, never the secret. Walled by app.tenant_id.'
    )
    op.create_index(op.f('ix_api_key_tenant_id_created_at'), 'api_key', ['tenant_id', 'created_at'], unique=False)
    op.create_table('audit_event',
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('tenant_id', sa.Uuid(), nullable=True, comment='The tenant concerned; null for what the platform did, such as erasing a tenant.'),
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=True, comment='The space concerned, if any.'),
    sa.Column('actor', sa.Text(), nullable=False, comment="Who: a key's public id, 'operator' or 'cli'."),
    sa.Column('action', sa.Text(), nullable=False, comment='What, as object.verb: space.delete, key.create, …'),
    sa.Column('target_id', sa.Uuid(), nullable=True, comment='The id of the thing acted upon.'),
    sa.Column('request_id', sa.Text(), nullable=True, comment='The request that did it, as logs name it.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_audit_event_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_audit_event')),
    comment='Append-only record of what was done, without bodies. Erasing a tenant removes its rows and adds one without a tenant (requirement 1.4).'
    )
    op.create_index(op.f('ix_audit_event_tenant_id_created_at'), 'audit_event', ['tenant_id', 'created_at'], unique=False)
    op.create_table('knowledge_space',
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7; every space-owned row carries it.'),
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The owner: exactly one tenant (requirement 1.1).'),
    sa.Column('name', sa.Text(), nullable=False, comment='Unique within its tenant.'),
    sa.Column('description', sa.Text(), server_default='', nullable=False, comment='What the space is about.'),
    sa.Column('settings', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False, comment="Space settings that override the platform's defaults."),
    sa.Column('embedding_model', sa.Text(), nullable=False, comment='The model that made every vector of the space.'),
    sa.Column('embedding_dimensions', sa.Integer(), nullable=False, comment="Length of the space's vectors."),
    sa.Column('graph_revision', sa.BigInteger(), server_default='0', nullable=False, comment='Rises with every change of the graph; locked by each graph write.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.Column('updated_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row last changed, by the database's clock."),
    sa.ForeignKeyConstraint(['tenant_id'], ['tenant.id'], name=op.f('fk_knowledge_space_tenant_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('id', name=op.f('pk_knowledge_space')),
    sa.UniqueConstraint('tenant_id', 'id', name=op.f('uq_knowledge_space_tenant_id_id')),
    sa.UniqueConstraint('tenant_id', 'name', name=op.f('uq_knowledge_space_tenant_id_name')),
    comment='Knowledge spaces: one directed labelled graph each. Walled by app.tenant_id.'
    )
    op.create_table('graph_node',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('canonical_name', sa.Text(), nullable=False, comment='The fullest name the documents give it.'),
    sa.Column('node_type', sa.Text(), nullable=False, comment='Open set: Product, Person, Concept, API, Organization, …'),
    sa.Column('metadata', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False, comment='aliases, firstSeenChunkId, typeVotes, attributes; open for more keys.'),
    sa.Column('mention_count', sa.Integer(), server_default='0', nullable=False, comment='How many chunks name it.'),
    sa.Column('out_degree', sa.Integer(), server_default='0', nullable=False, comment='How many edge rows leave it.'),
    sa.Column('in_degree', sa.Integer(), server_default='0', nullable=False, comment='How many edge rows enter it.'),
    sa.Column('confidence', sa.REAL(), server_default='1', nullable=False, comment='Highest extraction confidence, 0 to 1.'),
    sa.Column('source', sa.Text(), server_default='extraction', nullable=False, comment='extraction or manual.'),
    sa.Column('first_seen_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment='First ingest that named it.'),
    sa.Column('last_seen_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment='Last ingest that named it.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.Column('updated_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row last changed, by the database's clock."),
    sa.Column('deleted_at', sa.DateTime(timezone=True), nullable=True, comment='Set on a node that queries must no longer show.'),
    sa.CheckConstraint("source IN ('extraction', 'manual')", name=op.f('ck_graph_node_source')),
    sa.CheckConstraint('confidence >= 0 AND confidence <= 1', name=op.f('ck_graph_node_confidence_range')),
    sa.CheckConstraint('octet_length(canonical_name) BETWEEN 1 AND 512', name=op.f('ck_graph_node_canonical_name_size')),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_graph_node_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_graph_node')),
    sa.UniqueConstraint('knowledge_space_id', 'canonical_name', 'node_type', name=op.f('uq_graph_node_knowledge_space_id_canonical_name_node_type')),
    comment='Nodes: people, products, places, ideas. Unique by canonical_name and node_type in a space.',
    postgresql_with={'fillfactor': '80'}
    )
    op.create_index('ix_graph_node_mention_count', 'graph_node', ['knowledge_space_id', sa.literal_column('mention_count DESC'), 'id'], unique=False)
    op.create_index('ix_graph_node_type', 'graph_node', ['knowledge_space_id', 'node_type', sa.literal_column('mention_count DESC'), 'id'], unique=False)
    op.create_table('job',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The owner of the space; jobs are shared out fairly by it.'),
    sa.Column('kind', sa.Text(), nullable=False, comment='What to do, as family.verb; outlives renames in the code.'),
    sa.Column('schema_version', sa.Integer(), server_default='1', nullable=False, comment='Form of arguments; a worker leaves newer ones to newer workers.'),
    sa.Column('arguments', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False, comment='Ids and flags only.'),
    sa.Column('state', sa.Text(), server_default='queued', nullable=False, comment='queued, running, done, failed, cancelled.'),
    sa.Column('stage', sa.Text(), server_default='waiting', nullable=False, comment='Where it stands, for people.'),
    sa.Column('progress', sa.REAL(), server_default='0', nullable=False, comment='Per cent done, 0 to 100.'),
    sa.Column('counts', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False, comment='documents, chunks, nodes, mentions, edges, dropped by reason.'),
    sa.Column('attempt', sa.Integer(), server_default='0', nullable=False, comment='How often it was claimed.'),
    sa.Column('max_attempts', sa.Integer(), server_default='8', nullable=False, comment='Failed attempts before it is failed.'),
    sa.Column('failures', sa.Integer(), server_default='0', nullable=False, comment='Attempts that ended in an error.'),
    sa.Column('crash_count', sa.Integer(), server_default='0', nullable=False, comment='Leases that ran out because the worker died; bounded by max_attempts.'),
    sa.Column('run_after', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment='Not claimed before this time.'),
    sa.Column('lease_until', sa.DateTime(timezone=True), nullable=True, comment='Until when the claim holds unless renewed.'),
    sa.Column('fence', sa.BigInteger(), server_default='0', nullable=False, comment='Rises with each claim; a write with an older one is refused.'),
    sa.Column('worker', sa.Text(), nullable=True, comment='Host and process that hold the claim.'),
    sa.Column('cancel_requested', sa.Boolean(), server_default=sa.text('false'), nullable=False, comment='Someone asked it to stop.'),
    sa.Column('prompt_tokens', sa.BigInteger(), server_default='0', nullable=False, comment='Tokens sent to models.'),
    sa.Column('completion_tokens', sa.BigInteger(), server_default='0', nullable=False, comment='Tokens models wrote.'),
    sa.Column('cost_usd', sa.Numeric(precision=18, scale=8), server_default='0', nullable=False, comment='Price of its model calls.'),
    sa.Column('error_code', sa.Text(), nullable=True, comment='Stable code of the last error.'),
    sa.Column('error_message', sa.Text(), nullable=True, comment='One fixed sentence about it, never content.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.Column('started_at', sa.DateTime(timezone=True), nullable=True, comment='First claim.'),
    sa.Column('finalized_at', sa.DateTime(timezone=True), nullable=True, comment='When it reached a final state.'),
    sa.CheckConstraint("(finalized_at IS NOT NULL) = (state IN ('done', 'failed', 'cancelled'))", name=op.f('ck_job_final_states_have_a_time')),
    sa.CheckConstraint("(state = 'running') = (lease_until IS NOT NULL)", name=op.f('ck_job_running_has_a_lease')),
    sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name=op.f('ck_job_state')),
    sa.CheckConstraint('progress >= 0 AND progress <= 100', name=op.f('ck_job_progress_range')),
    sa.ForeignKeyConstraint(['tenant_id', 'knowledge_space_id'], ['knowledge_space.tenant_id', 'knowledge_space.id'], name=op.f('fk_job_tenant_id_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_job')),
    comment='Background work: state, lease, fence, attempts, stage and counts. Readable across spaces by the platform only.'
    )
    op.create_index('ix_job_ready', 'job', ['tenant_id', 'run_after', 'created_at'], unique=False, postgresql_where=sa.text("state = 'queued'"))
    op.create_index('ix_job_running', 'job', ['tenant_id', 'lease_until'], unique=False, postgresql_where=sa.text("state = 'running'"))
    op.create_index('ix_job_space', 'job', ['knowledge_space_id', 'created_at', 'id'], unique=False)
    op.create_table('model_answer',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('key', sa.Text(), nullable=False, comment='SHA-256 of model, parameters, prompt version, prompt.'),
    sa.Column('answer', postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment='The answer, after validation.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_model_answer_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'key', name=op.f('pk_model_answer')),
    comment='Cache of validated model answers, per space and never shared; committed before use.'
    )
    op.create_table('model_call',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('job_id', sa.Uuid(), nullable=True, comment='The job that called; not a foreign key: the ledger outlives jobs.'),
    sa.Column('purpose', sa.Text(), nullable=False, comment='entities, relations, embedding, summary, answer, …'),
    sa.Column('model', sa.Text(), nullable=False, comment="The model's name as sent."),
    sa.Column('prompt_tokens', sa.Integer(), server_default='0', nullable=False, comment='Tokens sent.'),
    sa.Column('completion_tokens', sa.Integer(), server_default='0', nullable=False, comment='Tokens received.'),
    sa.Column('cost_usd', sa.Numeric(precision=18, scale=8), server_default='0', nullable=False, comment='Price, US dollars.'),
    sa.Column('latency_ms', sa.Integer(), server_default='0', nullable=False, comment='Wall time of the call.'),
    sa.Column('cached', sa.Boolean(), server_default=sa.text('false'), nullable=False, comment='Answered without a call.'),
    sa.Column('outcome', sa.Text(), server_default='ok', nullable=False, comment='ok, or the class of the error.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_model_call_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_model_call')),
    comment='Ledger of model calls: purpose, tokens, cost, latency; no prompt and no answer.'
    )
    op.create_index('ix_model_call_created', 'model_call', ['knowledge_space_id', 'created_at'], unique=False)
    op.create_index('ix_model_call_job', 'model_call', ['knowledge_space_id', 'job_id'], unique=False)
    op.create_table('usage_daily',
    sa.Column('tenant_id', sa.Uuid(), nullable=False, comment='The tenant that is billed.'),
    sa.Column('day', sa.Date(), nullable=False, comment='The day, in UTC.'),
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The space that used it.'),
    sa.Column('documents', sa.BigInteger(), server_default='0', nullable=False, comment='Documents ingested.'),
    sa.Column('chunks', sa.BigInteger(), server_default='0', nullable=False, comment='Chunks extracted.'),
    sa.Column('bytes', sa.BigInteger(), server_default='0', nullable=False, comment='Bytes of documents accepted.'),
    sa.Column('model_calls', sa.BigInteger(), server_default='0', nullable=False, comment='Calls to a paid model.'),
    sa.Column('prompt_tokens', sa.BigInteger(), server_default='0', nullable=False, comment='Tokens sent to models.'),
    sa.Column('completion_tokens', sa.BigInteger(), server_default='0', nullable=False, comment='Tokens models wrote.'),
    sa.Column('cost_usd', sa.Numeric(precision=18, scale=8), server_default='0', nullable=False, comment='Price of those calls, US dollars.'),
    sa.Column('queries', sa.BigInteger(), server_default='0', nullable=False, comment='Graph queries answered.'),
    sa.ForeignKeyConstraint(['tenant_id', 'knowledge_space_id'], ['knowledge_space.tenant_id', 'knowledge_space.id'], name=op.f('fk_usage_daily_tenant_id_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('tenant_id', 'day', 'knowledge_space_id', name=op.f('pk_usage_daily')),
    comment='Counters per tenant, space and day; the ground of bills and quotas. Walled by app.tenant_id.'
    )
    op.create_index(op.f('ix_usage_daily_knowledge_space_id'), 'usage_daily', ['knowledge_space_id'], unique=False)
    op.create_table('document',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('title', sa.Text(), nullable=False, comment='Given, else read from the document, else its file name.'),
    sa.Column('source_kind', sa.Text(), nullable=False, comment='user_edit, file, system or conversation.'),
    sa.Column('source_uri', sa.Text(), nullable=True, comment='Where it came from; a later document with the same address replaces this one.'),
    sa.Column('format', sa.Text(), nullable=False, comment='text, markdown, html, pdf, docx, json, jsonl, csv, conversation.'),
    sa.Column('language', sa.Text(), nullable=True, comment='ISO 639-1 code, detected or given.'),
    sa.Column('metadata', postgresql.JSONB(astext_type=sa.Text()), server_default=sa.text("'{}'::jsonb"), nullable=False, comment="The submitter's own keys."),
    sa.Column('content_hash', sa.Text(), nullable=False, comment='SHA-256 of the bytes and what changes their reading; the same content is known by it.'),
    sa.Column('byte_size', sa.Integer(), nullable=False, comment='Size of the submitted bytes.'),
    sa.Column('version', sa.Integer(), server_default='1', nullable=False, comment='Rises when new content replaces old.'),
    sa.Column('state', sa.Text(), server_default='queued', nullable=False, comment='queued, processing, ready or failed.'),
    sa.Column('failure_code', sa.Text(), nullable=True, comment='Stable code of what went wrong.'),
    sa.Column('failure_reason', sa.Text(), nullable=True, comment='One sentence for a person.'),
    sa.Column('crash_count', sa.Integer(), server_default='0', nullable=False, comment='How many workers died while reading it; three make it failed.'),
    sa.Column('chunk_count', sa.Integer(), server_default='0', nullable=False, comment='Chunks of the current version.'),
    sa.Column('job_id', sa.Uuid(), nullable=True, comment='The job that last took it in, or will.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.Column('updated_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row last changed, by the database's clock."),
    sa.CheckConstraint("(state = 'failed') = (failure_code IS NOT NULL)", name=op.f('ck_document_failed_says_why')),
    sa.CheckConstraint("source_kind IN ('user_edit', 'file', 'system', 'conversation')", name=op.f('ck_document_source_kind')),
    sa.CheckConstraint("state IN ('queued', 'processing', 'ready', 'failed')", name=op.f('ck_document_state')),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'job_id'], ['job.knowledge_space_id', 'job.id'], name=op.f('fk_document_knowledge_space_id_job_id'), ondelete='SET NULL (job_id)'),
    sa.ForeignKeyConstraint(['knowledge_space_id'], ['knowledge_space.id'], name=op.f('fk_document_knowledge_space_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_document')),
    comment='Source texts submitted to a space; the text itself stands in document_body.'
    )
    op.create_index('ix_document_content_hash', 'document', ['knowledge_space_id', 'content_hash'], unique=False)
    op.create_index('ix_document_created', 'document', ['knowledge_space_id', 'created_at', 'id'], unique=False)
    op.create_index('ix_document_job', 'document', ['knowledge_space_id', 'job_id'], unique=False)
    op.create_index('uq_document_content_hash', 'document', ['knowledge_space_id', 'content_hash'], unique=True, postgresql_where=sa.text('source_uri IS NULL'))
    op.create_index('uq_document_source_uri', 'document', ['knowledge_space_id', 'source_uri'], unique=True, postgresql_where=sa.text('source_uri IS NOT NULL'))
    op.create_table('job_error',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('job_id', sa.Uuid(), nullable=False, comment='The job.'),
    sa.Column('document_id', sa.Uuid(), nullable=True, comment='The document set aside, if one.'),
    sa.Column('chunk_id', sa.Uuid(), nullable=True, comment='The chunk set aside, if one.'),
    sa.Column('code', sa.Text(), nullable=False, comment='Stable code.'),
    sa.Column('message', sa.Text(), nullable=False, comment='One sentence for a person.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'job_id'], ['job.knowledge_space_id', 'job.id'], name=op.f('fk_job_error_knowledge_space_id_job_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_job_error')),
    comment='What a job set aside and why; the rest of the job went on.'
    )
    op.create_index('ix_job_error_job', 'job_error', ['knowledge_space_id', 'job_id', 'created_at'], unique=False)
    op.create_table('node_name',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('normalised_name', sa.Text(collation='C'), nullable=False, comment='Lower case, folded, no punctuation.'),
    sa.Column('node_id', sa.Uuid(), nullable=False, comment='The node so named.'),
    sa.Column('name', sa.Text(), nullable=False, comment='The name as the documents write it.'),
    sa.Column('kind', sa.Text(), nullable=False, comment='canonical and alias identify the node everywhere; short only within one document.'),
    sa.CheckConstraint("kind IN ('canonical', 'alias', 'short')", name=op.f('ck_node_name_kind')),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'node_id'], ['graph_node.knowledge_space_id', 'graph_node.id'], name=op.f('fk_node_name_knowledge_space_id_node_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'normalised_name', 'node_id', name=op.f('pk_node_name')),
    comment='Every name a node is known by, normalised for look-up: one index probe finds an anchor.'
    )
    op.create_index('ix_node_name_node', 'node_name', ['knowledge_space_id', 'node_id'], unique=False)
    op.create_table('document_body',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('document_id', sa.Uuid(), nullable=False, comment='The document.'),
    sa.Column('raw', sa.LargeBinary(), nullable=False, comment='The bytes as submitted.'),
    sa.Column('text', sa.Text(), nullable=True, comment='Plain text; chunks are exact slices of it.'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'document_id'], ['document.knowledge_space_id', 'document.id'], name=op.f('fk_document_body_knowledge_space_id_document_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'document_id', name=op.f('pk_document_body')),
    comment="A document's submitted bytes and its plain text, apart so that listings stay narrow."
    )
    op.create_table('knowledge_chunk',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('document_id', sa.Uuid(), nullable=False, comment='The document it is a slice of.'),
    sa.Column('ordinal', sa.Integer(), nullable=False, comment='Place in the document, from 0.'),
    sa.Column('text', sa.Text(), nullable=False, comment='Exactly document_body.text[char_start:char_end].'),
    sa.Column('char_start', sa.Integer(), nullable=False, comment='First character in the document, from 0.'),
    sa.Column('char_end', sa.Integer(), nullable=False, comment='One past the last character in the document.'),
    sa.Column('heading_path', sa.ARRAY(sa.Text()), nullable=False, comment='Headings above it, outermost first.'),
    sa.Column('token_count', sa.Integer(), nullable=False, comment='Length in model tokens.'),
    sa.Column('content_hash', sa.Text(), nullable=False, comment='SHA-256 of the text; an unchanged chunk keeps its row.'),
    sa.Column('speaker', sa.Text(), nullable=True, comment='Who said it, in a conversation.'),
    sa.Column('said_at', sa.DateTime(timezone=True), nullable=True, comment='When it was said, in a conversation.'),
    sa.Column('embedding', pgvector.sqlalchemy.halfvec.HALFVEC(), nullable=True, comment="Vector of the text by the space's embedding model; its length is the space's."),
    sa.Column('extracted_by', sa.Text(), nullable=True, comment='model/prompt version that last read it to the end; null until then.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.CheckConstraint('char_start >= 0 AND char_end > char_start', name=op.f('ck_knowledge_chunk_char_range')),
    sa.CheckConstraint('octet_length(text) <= 32768', name=op.f('ck_knowledge_chunk_text_size')),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'document_id'], ['document.knowledge_space_id', 'document.id'], name=op.f('fk_knowledge_chunk_knowledge_space_id_document_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_knowledge_chunk')),
    comment='Contiguous pieces of documents: what is embedded, extracted from and cited.'
    )
    op.create_index('ix_knowledge_chunk_content_hash', 'knowledge_chunk', ['knowledge_space_id', 'content_hash'], unique=False)
    op.create_index('ix_knowledge_chunk_document', 'knowledge_chunk', ['knowledge_space_id', 'document_id', 'ordinal'], unique=False)
    op.create_table('graph_edge',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('id', sa.Uuid(), nullable=False, comment='uuid v7, made by the application.'),
    sa.Column('from_node_id', sa.Uuid(), nullable=False, comment='Who or what the claim is about.'),
    sa.Column('to_node_id', sa.Uuid(), nullable=False, comment='Who or what it relates to.'),
    sa.Column('relation_type', sa.Text(), nullable=False, comment='The verb, lower snake_case; direction matters.'),
    sa.Column('weight', sa.REAL(), nullable=False, comment='confidence x times seen in the chunk, over the largest of its ingest: 0 to 1 (requirement 4.3).'),
    sa.Column('evidence_chunk_id', sa.Uuid(), nullable=True, comment='The chunk that states it; null once that is gone.'),
    sa.Column('status', sa.Text(), server_default='staged', nullable=False, comment='confirmed once two documents state it or a person does, else staged.'),
    sa.Column('metadata', postgresql.JSONB(astext_type=sa.Text()), nullable=False, comment='confidence, model, extractedAt, quote, charStart and charEnd (in the chunk); open for more keys.'),
    sa.Column('confidence', sa.REAL(), sa.Computed("((metadata -> 'confidence')::real)", persisted=True), nullable=False, comment="metadata's confidence, for filters."),
    sa.Column('extraction_key', sa.Uuid(), nullable=False, comment='128 bits of the hash of chunk text, prompt version, model and claim: a retry never adds a row.'),
    sa.Column('created_at', sa.DateTime(timezone=True), server_default=sa.text('now()'), nullable=False, comment="When the row was made, by the database's clock."),
    sa.Column('valid_from', sa.DateTime(timezone=True), nullable=True, comment='Since when the claim holds, where the text says so.'),
    sa.Column('invalidated_at', sa.DateTime(timezone=True), nullable=True, comment='When a later source or a person ended the claim.'),
    sa.Column('deleted_at', sa.DateTime(timezone=True), nullable=True, comment='Set on an edge that queries must no longer show.'),
    sa.Column('access_count', sa.Integer(), server_default='0', nullable=False, comment='How often answers rested on it.'),
    sa.Column('last_accessed_at', sa.DateTime(timezone=True), nullable=True, comment='When an answer last rested on it.'),
    sa.CheckConstraint("relation_type ~ '^[a-z][a-z0-9_]{0,63}$'", name=op.f('ck_graph_edge_relation_type_form')),
    sa.CheckConstraint("status IN ('staged', 'confirmed')", name=op.f('ck_graph_edge_status')),
    sa.CheckConstraint("weight >= 0 AND weight <= 'Infinity' AND weight <> 'NaN'", name=op.f('ck_graph_edge_weight_range')),
    sa.CheckConstraint('confidence >= 0 AND confidence <= 1', name=op.f('ck_graph_edge_confidence_range')),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'evidence_chunk_id'], ['knowledge_chunk.knowledge_space_id', 'knowledge_chunk.id'], name=op.f('fk_graph_edge_knowledge_space_id_evidence_chunk_id'), ondelete='SET NULL (evidence_chunk_id)'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'from_node_id'], ['graph_node.knowledge_space_id', 'graph_node.id'], name=op.f('fk_graph_edge_knowledge_space_id_from_node_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'to_node_id'], ['graph_node.knowledge_space_id', 'graph_node.id'], name=op.f('fk_graph_edge_knowledge_space_id_to_node_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'id', name=op.f('pk_graph_edge')),
    sa.UniqueConstraint('knowledge_space_id', 'extraction_key', name=op.f('uq_graph_edge_knowledge_space_id_extraction_key')),
    comment='Edges: each row is one piece of evidence for a directed, typed claim. Rows are not unique by claim.'
    )
    op.create_index('ix_graph_edge_evidence', 'graph_edge', ['knowledge_space_id', 'evidence_chunk_id'], unique=False)
    op.create_index('ix_graph_edge_from_weight', 'graph_edge', ['knowledge_space_id', 'from_node_id', sa.literal_column('weight DESC')], unique=False, postgresql_include=['to_node_id', 'relation_type', 'evidence_chunk_id', 'id', 'confidence', 'status', 'deleted_at', 'invalidated_at'])
    op.create_index('ix_graph_edge_pair', 'graph_edge', ['knowledge_space_id', 'from_node_id', 'to_node_id'], unique=False, postgresql_include=['weight', 'relation_type', 'evidence_chunk_id', 'id', 'confidence', 'status', 'deleted_at', 'invalidated_at'])
    op.create_index('ix_graph_edge_relation', 'graph_edge', ['knowledge_space_id', 'relation_type', sa.literal_column('weight DESC'), 'id'], unique=False)
    op.create_index('ix_graph_edge_to_weight', 'graph_edge', ['knowledge_space_id', 'to_node_id', sa.literal_column('weight DESC')], unique=False, postgresql_include=['from_node_id', 'relation_type', 'evidence_chunk_id', 'id', 'confidence', 'status', 'deleted_at', 'invalidated_at'])
    op.create_table('node_mention',
    sa.Column('knowledge_space_id', sa.Uuid(), nullable=False, comment='The knowledge space that owns the row; row level security compares it with app.space_id.'),
    sa.Column('chunk_id', sa.Uuid(), nullable=False, comment='The chunk.'),
    sa.Column('node_id', sa.Uuid(), nullable=False, comment='The node that it names.'),
    sa.Column('surface_form', sa.Text(), nullable=False, comment='The words of the first mention in the chunk.'),
    sa.Column('name', sa.Text(), nullable=False, comment="The fullest name that the chunk's document gives it."),
    sa.Column('char_start', sa.Integer(), nullable=False, comment='First character of those words in the chunk, from 0.'),
    sa.Column('char_end', sa.Integer(), nullable=False, comment='One past their last character in the chunk.'),
    sa.Column('node_type', sa.Text(), nullable=True, comment='The type that this chunk shows; null where it shows none.'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'chunk_id'], ['knowledge_chunk.knowledge_space_id', 'knowledge_chunk.id'], name=op.f('fk_node_mention_knowledge_space_id_chunk_id'), ondelete='CASCADE'),
    sa.ForeignKeyConstraint(['knowledge_space_id', 'node_id'], ['graph_node.knowledge_space_id', 'graph_node.id'], name=op.f('fk_node_mention_knowledge_space_id_node_id'), ondelete='CASCADE'),
    sa.PrimaryKeyConstraint('knowledge_space_id', 'chunk_id', 'node_id', name=op.f('pk_node_mention')),
    comment='Which chunk names which node, where it does so first, and as what type it read there.'
    )
    op.create_index('ix_node_mention_node', 'node_mention', ['knowledge_space_id', 'node_id', 'chunk_id'], unique=False)


def downgrade() -> None:
    op.drop_index('ix_node_mention_node', table_name='node_mention')
    op.drop_table('node_mention')
    op.drop_index('ix_graph_edge_to_weight', table_name='graph_edge', postgresql_include=['from_node_id', 'relation_type', 'evidence_chunk_id', 'id', 'confidence', 'status', 'deleted_at', 'invalidated_at'])
    op.drop_index('ix_graph_edge_relation', table_name='graph_edge')
    op.drop_index('ix_graph_edge_pair', table_name='graph_edge', postgresql_include=['weight', 'relation_type', 'evidence_chunk_id', 'id', 'confidence', 'status', 'deleted_at', 'invalidated_at'])
    op.drop_index('ix_graph_edge_from_weight', table_name='graph_edge', postgresql_include=['to_node_id', 'relation_type', 'evidence_chunk_id', 'id', 'confidence', 'status', 'deleted_at', 'invalidated_at'])
    op.drop_index('ix_graph_edge_evidence', table_name='graph_edge')
    op.drop_table('graph_edge')
    op.drop_index('ix_knowledge_chunk_document', table_name='knowledge_chunk')
    op.drop_index('ix_knowledge_chunk_content_hash', table_name='knowledge_chunk')
    op.drop_table('knowledge_chunk')
    op.drop_table('document_body')
    op.drop_index('ix_node_name_node', table_name='node_name')
    op.drop_table('node_name')
    op.drop_index('ix_job_error_job', table_name='job_error')
    op.drop_table('job_error')
    op.drop_index('uq_document_source_uri', table_name='document', postgresql_where=sa.text('source_uri IS NOT NULL'))
    op.drop_index('uq_document_content_hash', table_name='document', postgresql_where=sa.text('source_uri IS NULL'))
    op.drop_index('ix_document_job', table_name='document')
    op.drop_index('ix_document_created', table_name='document')
    op.drop_index('ix_document_content_hash', table_name='document')
    op.drop_table('document')
    op.drop_index(op.f('ix_usage_daily_knowledge_space_id'), table_name='usage_daily')
    op.drop_table('usage_daily')
    op.drop_index('ix_model_call_job', table_name='model_call')
    op.drop_index('ix_model_call_created', table_name='model_call')
    op.drop_table('model_call')
    op.drop_table('model_answer')
    op.drop_index('ix_job_space', table_name='job')
    op.drop_index('ix_job_running', table_name='job', postgresql_where=sa.text("state = 'running'"))
    op.drop_index('ix_job_ready', table_name='job', postgresql_where=sa.text("state = 'queued'"))
    op.drop_table('job')
    op.drop_index('ix_graph_node_type', table_name='graph_node')
    op.drop_index('ix_graph_node_mention_count', table_name='graph_node')
    op.drop_table('graph_node')
    op.drop_table('knowledge_space')
    op.drop_index(op.f('ix_audit_event_tenant_id_created_at'), table_name='audit_event')
    op.drop_table('audit_event')
    op.drop_index(op.f('ix_api_key_tenant_id_created_at'), table_name='api_key')
    op.drop_table('api_key')
    op.drop_table('tenant')
