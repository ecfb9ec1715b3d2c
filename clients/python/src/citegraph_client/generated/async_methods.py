"""The asynchronous methods. Written by `make client` from the OpenAPI document; not edited."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from citegraph_client.asynchronous.transport import AsyncCaller, AsyncPages
from citegraph_client.call import OMIT, Call, Omit
from citegraph_client.generated import answers as a
from citegraph_client.generated import bodies as b


class AsyncSpaceMethods(AsyncCaller):
    """All that may be asked of one space."""

    async def read_space(
        self,
    ) -> a.SpaceAnswer:
        """The space. 404."""
        return await self._send(Call("GET", ""), a.SpaceAnswer)

    async def update_space(
        self,
        *,
        force: bool | Omit = OMIT,
        name: str | Omit | None = OMIT,
        description: str | Omit | None = OMIT,
        settings: b.SpaceSettingsChanges | Omit | None = OMIT,
        if_match: str | None = None,
    ) -> a.SpaceAnswer:
        """The space with what was given changed. 404, 409 name_taken, not_evaluated, worse_answers,
        412 stale_version.

        force: Whether to pass the gate of the golden questions (`golden_gate`).
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call(
                "PATCH",
                "",
                query={"force": force},
                body={"name": name, "description": description, "settings": settings},
                if_match=if_match,
            ),
            a.SpaceAnswer,
        )

    async def delete_space(
        self,
        *,
        if_match: str | None = None,
    ) -> a.DeletionAnswer:
        """Remove the space and all that it owns; its jobs are cancelled. 404, 412 stale_version.

        202 for a large one: it is not found any more, and a job removes its rows.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(Call("DELETE", "", if_match=if_match), a.DeletionAnswer)

    async def plan_embedding(
        self,
        *,
        model: str | Omit | None = OMIT,
        dimensions: int | Omit | None = OMIT,
    ) -> a.EmbeddingPlanAnswer:
        """A dry run: the space's model, and what a change would take. No model is asked. 422
        model_not_offered.

        model: The other model; left out: the service's own.
        dimensions: Length of its vectors.
        """
        return await self._send(
            Call("GET", "/embedding", query={"model": model, "dimensions": dimensions}), a.EmbeddingPlanAnswer
        )

    async def change_embedding(
        self,
        model: str,
        *,
        dimensions: int | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """The job that makes the change, while queries go on.

        404, 409 embedding_unchanged, embedding_change_running, 422 model_not_offered.

        model: One that the operator offers; hashed-ngrams-256 and all-minilm-l6-v2-384 run here.
        dimensions: Length of its vectors, if you want to be sure of it.
        """
        return await self._send(
            Call("POST", "/embedding", body={"model": model, "dimensions": dimensions}, key=idempotency_key),
            a.JobAnswer,
        )

    def list_documents(
        self,
        *,
        state: Literal["queued", "processing", "ready", "failed"] | Omit | None = OMIT,
        source_uri_prefix: str | Omit | None = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.DocumentAnswer, a.DocumentPage]:
        """The space's documents, newest first.

        source_uri_prefix: Only those whose address begins so, as `file:papers/`.
        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call(
                "GET",
                "/documents",
                query={
                    "state": state,
                    "source_uri_prefix": source_uri_prefix,
                    "limit": page_size,
                    "cursor": cursor,
                },
            ),
            a.DocumentPage,
        )

    async def retry_failed(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> a.RetryAnswer:
        """Queue what could not be read once more, the oldest 1,000 documents, in one job: those that failed, and
        the quarantined chunks of others. 409 document_not_failed,
        429 too_many_jobs.
        """
        return await self._send(Call("POST", "/documents/retry", key=idempotency_key), a.RetryAnswer)

    async def retry_document(
        self,
        document_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.JobAnswer:
        """Queue a document that failed once more, or its quarantined chunks; its job. 404, 409
        document_not_failed, 429 too_many_jobs.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call("POST", f"/documents/{document_id}/retry", key=idempotency_key, if_match=if_match),
            a.JobAnswer,
        )

    async def read_document(
        self,
        document_id: UUID | str,
    ) -> a.DocumentDetailAnswer:
        """The document, and of which of its chunks no graph could be drawn. 404."""
        return await self._send(Call("GET", f"/documents/{document_id}"), a.DocumentDetailAnswer)

    async def change_document(
        self,
        document_id: UUID | str,
        trust: float,
        *,
        if_match: str | None = None,
    ) -> a.DocumentAnswer:
        """Change the trust in a document: claims end and hold as if it had been trusted so all along. 404, 409
        less_trusted for who is trusted less than the document, document_not_read while it is being read.

        trust: How far it is trusted from now on; `source_trust` and `uploader_trust` bound it.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call("PATCH", f"/documents/{document_id}", body={"trust": trust}, if_match=if_match),
            a.DocumentAnswer,
        )

    async def delete_document(
        self,
        document_id: UUID | str,
        *,
        prune: bool | Omit | None = OMIT,
        dry_run: bool | Omit = OMIT,
        if_match: str | None = None,
    ) -> a.RemovalAnswer:
        """Remove the document and its words: text, quotes, names, summaries, kept answers of models. 404.

        Edges stay as rows, `unsupported` where no other document states them. With `dry_run` nothing is changed.

        prune: Also remove what this leaves without evidence; else as prune_deleted of the space.
        dry_run: Only say what it would change.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call(
                "DELETE",
                f"/documents/{document_id}",
                query={"prune": prune, "dry_run": dry_run},
                if_match=if_match,
            ),
            a.RemovalAnswer,
        )

    def list_chunks(
        self,
        document_id: UUID | str,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.ChunkAnswer, a.ChunkPage]:
        """The document's chunks, in its order. 404.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call("GET", f"/documents/{document_id}/chunks", query={"limit": page_size, "cursor": cursor}),
            a.ChunkPage,
        )

    async def read_chunk(
        self,
        chunk_id: UUID | str,
    ) -> a.ChunkAnswer:
        """The chunk that a citation names. 404."""
        return await self._send(Call("GET", f"/chunks/{chunk_id}"), a.ChunkAnswer)

    async def read_text(
        self,
        document_id: UUID | str,
        *,
        start: int | Omit = OMIT,
        length: int | Omit = OMIT,
    ) -> a.DocumentTextAnswer:
        """A part of the document's text with the words that name nodes and state claims. 404, 409
        document_not_read.

        start: First character of the part.
        length: Characters of the part at most.
        """
        return await self._send(
            Call("GET", f"/documents/{document_id}/text", query={"start": start, "length": length}),
            a.DocumentTextAnswer,
        )

    async def move_documents(
        self,
        documents: Sequence[b.MoveBody],
        *,
        idempotency_key: str | None = None,
    ) -> a.MovedAnswer:
        """Give documents new addresses, of which some may be such as others of them leave; nothing is read again.

        A title that was the name of the file becomes the new name. 404, 409 same_address for an address that
        another document keeps.
        """
        return await self._send(
            Call("POST", "/documents/move", body={"documents": documents}, key=idempotency_key), a.MovedAnswer
        )

    async def preview_removals(
        self,
        document_ids: Sequence[UUID | str],
        *,
        prune: bool | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> a.RemovalsAnswer:
        """Say what the removal of these documents, one after the other, would change; nothing is changed. 404.

        prune: Also remove what this leaves without evidence; else as prune_deleted of the space.
        """
        return await self._send(
            Call(
                "POST",
                "/documents/preview-removals",
                body={"document_ids": document_ids, "prune": prune},
                key=idempotency_key,
            ),
            a.RemovalsAnswer,
        )

    async def read_overview(
        self,
        *,
        days: int | Omit = OMIT,
    ) -> a.OverviewAnswer:
        """Show what the space holds, what waits and runs, what this month cost, and its use by day. 404.

        days: How many days, today included.
        """
        return await self._send(Call("GET", "/overview", query={"days": days}), a.OverviewAnswer)

    def list_jobs(
        self,
        *,
        state: b.JobState | Omit | None = OMIT,
        kind: str | Omit = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.JobAnswer, a.JobPage]:
        """The space's jobs, newest first.

        state: Only jobs in this state.
        kind: Only jobs of this kind, as ingest.documents.
        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call("GET", "/jobs", query={"state": state, "kind": kind, "limit": page_size, "cursor": cursor}),
            a.JobPage,
        )

    async def read_job(
        self,
        job_id: UUID | str,
    ) -> a.JobDetailAnswer:
        """The job and what it set aside. 404."""
        return await self._send(Call("GET", f"/jobs/{job_id}"), a.JobDetailAnswer)

    async def cancel_job(
        self,
        job_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.JobAnswer:
        """The job: cancelled if it was queued, else stopping at its next step. 404, 409 job_ended.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call("POST", f"/jobs/{job_id}/cancel", key=idempotency_key, if_match=if_match), a.JobAnswer
        )

    async def retry_job(
        self,
        job_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.JobAnswer:
        """The job, queued again with what it left unread: documents, and quarantined chunks of others.

        One that was parked or put off runs now. 404, 409 job_not_retryable, 429 too_many_jobs.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call("POST", f"/jobs/{job_id}/retry", key=idempotency_key, if_match=if_match), a.JobAnswer
        )

    def list_nodes(
        self,
        *,
        q: str | Omit | None = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
        match: b.WordMatch | Omit = OMIT,
        node_type: str | Omit | None = OMIT,
        tag: str | Omit | None = OMIT,
        established: bool | Omit | None = OMIT,
        min_confidence: float | Omit | None = OMIT,
        first_seen_from: dt.datetime | str | Omit | None = OMIT,
        first_seen_before: dt.datetime | str | Omit | None = OMIT,
        last_seen_from: dt.datetime | str | Omit | None = OMIT,
        last_seen_before: dt.datetime | str | Omit | None = OMIT,
        community_id: UUID | str | Omit | None = OMIT,
    ) -> AsyncPages[a.NodeAnswer, a.NodePage]:
        """The space's nodes, most mentioned first.

        q: Words in names and aliases; no wildcards.
        cursor: next_cursor of the page before.
        match: Whether `q` is one phrase, or words of which names hold all or any.
        tag: Only nodes that have this tag.
        first_seen_from: Seen first then or later.
        last_seen_from: Seen last then or later.
        community_id: Only nodes of this community.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call(
                "GET",
                "/graph/nodes",
                query={
                    "q": q,
                    "limit": page_size,
                    "cursor": cursor,
                    "match": match,
                    "node_type": node_type,
                    "tag": tag,
                    "established": established,
                    "min_confidence": min_confidence,
                    "first_seen_from": first_seen_from,
                    "first_seen_before": first_seen_before,
                    "last_seen_from": last_seen_from,
                    "last_seen_before": last_seen_before,
                    "community_id": community_id,
                },
            ),
            a.NodePage,
        )

    async def read_node(
        self,
        node_id: UUID | str,
    ) -> a.NodeDetailAnswer:
        """The node, its summary, the claims around it, parallel edges taken together, and who is named with it.

        404.
        """
        return await self._send(Call("GET", f"/graph/nodes/{node_id}"), a.NodeDetailAnswer)

    def list_mentions(
        self,
        node_id: UUID | str,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.MentionAnswer, a.MentionPage]:
        """The chunks that mention the node, in the order of their ids, with the words around its name. 404.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call("GET", f"/graph/nodes/{node_id}/mentions", query={"limit": page_size, "cursor": cursor}),
            a.MentionPage,
        )

    async def list_communities_of_node(
        self,
        node_id: UUID | str,
    ) -> a.NodeCommunitiesAnswer:
        """The communities that hold the node, one of each level, finest first; none before a first run. 404."""
        return await self._send(Call("GET", f"/graph/nodes/{node_id}/communities"), a.NodeCommunitiesAnswer)

    async def list_summary_decisions(
        self,
        node_id: UUID | str,
    ) -> list[a.GateDecisionAnswer]:
        """List the gate's decisions about the node's summary, the newest first, each with what it weighed. 404.

        At most fifty are kept.
        """
        return await self._send(
            Call("GET", f"/graph/nodes/{node_id}/summary/decisions"), list[a.GateDecisionAnswer]
        )

    def list_edges(
        self,
        *,
        node_id: UUID | str | Omit | None = OMIT,
        relation_type: str | Omit | None = OMIT,
        layer: Sequence[b.Layer] | Omit | None = OMIT,
        min_confidence: float | Omit | None = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.EdgeAnswer, a.EdgePage]:
        """The space's edges, oldest first, each with its evidence. 404 for an unknown node.

        node_id: Only edges that touch this node.
        layer: Only claims, or only statements.
        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call(
                "GET",
                "/graph/edges",
                query={
                    "node_id": node_id,
                    "relation_type": relation_type,
                    "layer": layer,
                    "min_confidence": min_confidence,
                    "limit": page_size,
                    "cursor": cursor,
                },
            ),
            a.EdgePage,
        )

    async def list_relation_types(
        self,
    ) -> a.RelationTypesAnswer:
        """Every relation type with its number of edges and averages, most frequent first."""
        return await self._send(Call("GET", "/graph/relation-types"), a.RelationTypesAnswer)

    async def read_neighborhood(
        self,
        node_id: UUID | str,
        *,
        depth: int | Omit = OMIT,
        direction: b.Direction | Omit = OMIT,
        relation_type: Sequence[str] | Omit | None = OMIT,
        node_type: Sequence[str] | Omit | None = OMIT,
        min_confidence: float | Omit | None = OMIT,
        as_of: dt.datetime | str | Omit | None = OMIT,
        layer: Sequence[b.Layer] | Omit | None = OMIT,
    ) -> a.NeighborhoodAnswer:
        """The node, its neighbours up to `depth` hops, and every edge among them. 404."""
        return await self._send(
            Call(
                "GET",
                f"/graph/neighborhood/{node_id}",
                query={
                    "depth": depth,
                    "direction": direction,
                    "relation_type": relation_type,
                    "node_type": node_type,
                    "min_confidence": min_confidence,
                    "as_of": as_of,
                    "layer": layer,
                },
            ),
            a.NeighborhoodAnswer,
        )

    async def read_neighbors(
        self,
        node_ids: Sequence[UUID | str],
        *,
        direction: b.Direction | Omit = OMIT,
        filters: b.FiltersBody | Omit = OMIT,
    ) -> a.NeighborhoodAnswer:
        """One hop around a list of nodes, these included. Unknown ids are listed in `missing`."""
        return await self._send(
            Call(
                "POST",
                "/graph/neighbors",
                body={"node_ids": node_ids, "direction": direction, "filters": filters},
                reads=True,
            ),
            a.NeighborhoodAnswer,
        )

    async def explain(
        self,
        *,
        question: str | Omit | None = OMIT,
        from_: str | Omit | None = OMIT,
        to: str | Omit | None = OMIT,
        max_hops: int | Omit = OMIT,
        limit: int | Omit | None = OMIT,
        filters: b.FiltersBody | Omit = OMIT,
    ) -> a.ExplanationAnswer:
        """How the graph answers a question, or how one node leads to another, with every edge's evidence.

        limit: Facts in the answer; unset: the setting.
        """
        return await self._send(
            Call(
                "POST",
                "/graph/explain",
                body={
                    "question": question,
                    "from": from_,
                    "to": to,
                    "max_hops": max_hops,
                    "limit": limit,
                    "filters": filters,
                },
                reads=True,
            ),
            a.ExplanationAnswer,
        )

    async def list_duplicates(
        self,
        *,
        limit: int | Omit = OMIT,
    ) -> a.DuplicatesAnswer:
        """Pairs of nodes that may be one thing under two spellings and that nobody has decided on."""
        return await self._send(Call("GET", "/graph/duplicates", query={"limit": limit}), a.DuplicatesAnswer)

    async def merge_nodes(
        self,
        winner_id: UUID | str,
        loser_id: UUID | str,
        *,
        idempotency_key: str | None = None,
    ) -> a.MergeAnswer:
        """Make two nodes one, and keep that they are; `undo` takes it back exactly. 404, 422."""
        return await self._send(
            Call(
                "POST",
                "/graph/merges",
                body={"winner_id": winner_id, "loser_id": loser_id},
                key=idempotency_key,
            ),
            a.MergeAnswer,
        )

    def list_merges(
        self,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.MergeAnswer, a.MergePage]:
        """The ledger of merges, those of ingests and of persons, newest first.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self, Call("GET", "/graph/merges", query={"limit": page_size, "cursor": cursor}), a.MergePage
        )

    async def preview_merge(
        self,
        winner_id: UUID | str,
        loser_id: UUID | str,
    ) -> a.MergePreviewAnswer:
        """The changes that a merge would make, without making it. 404, 422."""
        return await self._send(
            Call(
                "POST",
                "/graph/merges/preview",
                body={"winner_id": winner_id, "loser_id": loser_id},
                reads=True,
            ),
            a.MergePreviewAnswer,
        )

    async def undo_merge(
        self,
        merge_id: UUID | str,
        *,
        idempotency_key: str | None = None,
    ) -> a.NodeAnswer:
        """Undo a merge, and keep that the two are not one; the node that stands again.

        404, 409 already_undone, nothing_left, merged_again, winner_gone, name_taken.
        """
        return await self._send(
            Call("POST", f"/graph/merges/{merge_id}/undo", key=idempotency_key), a.NodeAnswer
        )

    async def list_kept_apart(
        self,
        *,
        limit: int | Omit = OMIT,
    ) -> a.KeptApartListAnswer:
        """The pairs of which somebody said that they are not one thing, the newest first."""
        return await self._send(
            Call("GET", "/graph/kept-apart", query={"limit": limit}), a.KeptApartListAnswer
        )

    async def keep_apart(
        self,
        node_ids: Sequence[UUID | str],
        *,
        idempotency_key: str | None = None,
    ) -> None:
        """Keep that two nodes are not one thing: no ingest joins them, and they are no duplicates. 404, 422."""
        await self._perform(
            Call("POST", "/graph/kept-apart", body={"node_ids": node_ids}, key=idempotency_key)
        )

    async def reconsider(
        self,
        a: b.NameAndTypeBody,
        b: b.NameAndTypeBody,
        *,
        idempotency_key: str | None = None,
    ) -> None:
        """Take back that two names are not one thing. 404 where nobody said so."""
        await self._perform(
            Call("POST", "/graph/kept-apart/reconsider", body={"a": a, "b": b}, key=idempotency_key)
        )

    async def rename_node(
        self,
        node_id: UUID | str,
        name: str,
        *,
        if_match: str | None = None,
    ) -> a.NodeAnswer:
        """Call the node so, whatever texts call it; its former name stays an alias. 404, 409 name_taken,
        same_name.

        name: At most 300 characters.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call("PUT", f"/graph/nodes/{node_id}/name", body={"name": name}, if_match=if_match), a.NodeAnswer
        )

    async def restore_name(
        self,
        node_id: UUID | str,
        *,
        if_match: str | None = None,
    ) -> a.NodeAnswer:
        """Call the node again as texts do. 404, 409 no_given_name, name_taken.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call("DELETE", f"/graph/nodes/{node_id}/name", if_match=if_match), a.NodeAnswer
        )

    def list_conflicts(
        self,
        *,
        relation_type: str | Omit | None = OMIT,
        contested: bool | Omit = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.ConflictSetAnswer, a.ConflictSetPage]:
        """Nodes with several values of a relation that the space declares single-valued, and what became of
        each.

        contested: Only where several values stand.
        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call(
                "GET",
                "/graph/conflicts",
                query={
                    "relation_type": relation_type,
                    "contested": contested,
                    "limit": page_size,
                    "cursor": cursor,
                },
            ),
            a.ConflictSetPage,
        )

    async def end_conflicts_by_date(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> a.EndedByDateAnswer:
        """End what a later source contradicts, in one page of conflict sets. 409 superseding_off.

        For relations that were declared after their edges were written; ingest does it by itself. Call it again
        with `next_after` until that is null.

        limit: Conflict sets to look at.
        after: `next_after` of the call before.
        """
        return await self._send(
            Call(
                "POST",
                "/graph/conflicts/end-by-date",
                query={"limit": limit, "after": after},
                key=idempotency_key,
            ),
            a.EndedByDateAnswer,
        )

    def list_invalidations(
        self,
        *,
        standing: bool | Omit = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.LedgerRowAnswer, a.LedgerRowPage]:
        """The ledger: every claim that ended, why, since when and by whom; newest first.

        standing: Only decisions that hold; else those undone too.
        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call(
                "GET",
                "/graph/invalidations",
                query={"standing": standing, "limit": page_size, "cursor": cursor},
            ),
            a.LedgerRowPage,
        )

    async def read_edge(
        self,
        edge_id: UUID | str,
    ) -> a.EdgeDetailAnswer:
        """The edge, also one that ended, with what was decided about it. 404."""
        return await self._send(Call("GET", f"/graph/edges/{edge_id}"), a.EdgeDetailAnswer)

    async def invalidate_edge(
        self,
        edge_id: UUID | str,
        reason: str,
        *,
        at: dt.datetime | str | Omit | None = OMIT,
        scope: b.InvalidationScope | Omit = OMIT,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.DecisionAnswer:
        """End the claim that this edge states; what was ended before stays as it is. 404, 409
        already_invalidated.

        reason: Kept with the decision; at most 1,000 bytes.
        at: Since when it does not hold; unset: now.
        scope: The claim with every row that states it, or this edge alone.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call(
                "POST",
                f"/graph/edges/{edge_id}/invalidate",
                body={"reason": reason, "at": at, "scope": scope},
                key=idempotency_key,
                if_match=if_match,
            ),
            a.DecisionAnswer,
        )

    async def restore_edge(
        self,
        edge_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.DecisionAnswer:
        """Undo the decision that ended this edge, for all that it ended and nothing else. 404, 409
        not_invalidated.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call("POST", f"/graph/edges/{edge_id}/restore", key=idempotency_key, if_match=if_match),
            a.DecisionAnswer,
        )

    async def uphold_edge(
        self,
        edge_id: UUID | str,
        reason: str,
        *,
        at: dt.datetime | str | Omit | None = OMIT,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.DecisionAnswer:
        """Say that this value of a single-valued relation holds: all others that stand end by one decision.

        404, 409 not_single_valued, is_denial, nothing_to_decide.

        reason: Kept with the decision; at most 1,000 bytes.
        at: Since when the others do not hold; unset: now.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call(
                "POST",
                f"/graph/edges/{edge_id}/uphold",
                body={"reason": reason, "at": at},
                key=idempotency_key,
                if_match=if_match,
            ),
            a.DecisionAnswer,
        )

    async def find_tags(
        self,
        *,
        prefix: str | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> a.TagsAnswer:
        """Tags by their beginning, with the number of nodes that have each."""
        return await self._send(
            Call("GET", "/graph/tags", query={"prefix": prefix, "limit": limit}), a.TagsAnswer
        )

    async def set_tags(
        self,
        node_id: UUID | str,
        tags: Sequence[str],
        *,
        if_match: str | None = None,
    ) -> a.NodeTagsAnswer:
        """Give the node these tags in place of those it had; the most relevant eight stay. 404.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call("PUT", f"/graph/nodes/{node_id}/tags", body={"tags": tags}, if_match=if_match),
            a.NodeTagsAnswer,
        )

    async def suggest_tags(
        self,
        node_id: UUID | str,
        *,
        by: Literal["rules", "model"] | Omit | None = OMIT,
    ) -> a.SuggestedTagsAnswer:
        """Tags that the node might have, existing ones reused by prefix. 404, 409 no_model, 429, 503 busy.

        by: Unset: the model where one is set up, else rules.
        """
        return await self._send(
            Call("POST", f"/graph/nodes/{node_id}/tags/suggest", body={"by": by}, reads=True),
            a.SuggestedTagsAnswer,
        )

    def list_communities(
        self,
        *,
        level: int | Omit | None = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.CommunityAnswer, a.CommunityPage]:
        """The communities of one level, or of all, coarsest and largest first.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call("GET", "/graph/communities", query={"level": level, "limit": page_size, "cursor": cursor}),
            a.CommunityPage,
        )

    async def list_runs(
        self,
        *,
        limit: int | Omit = OMIT,
    ) -> list[a.CommunityRunAnswer]:
        """The runs of the detection, the one in force first, each with what it changed.

        limit: Runs to show; fifty are kept.
        """
        return await self._send(
            Call("GET", "/graph/communities/runs", query={"limit": limit}), list[a.CommunityRunAnswer]
        )

    def list_run_events(
        self,
        run_id: UUID | str,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.RunEventAnswer, a.RunEventPage]:
        """Each community that one run found new, split, merged or gone. 404.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call(
                "GET",
                f"/graph/communities/runs/{run_id}/events",
                query={"limit": page_size, "cursor": cursor},
            ),
            a.RunEventPage,
        )

    async def read_community(
        self,
        community_id: UUID | str,
    ) -> a.CommunityDetailAnswer:
        """The community with members, parts and history. 404."""
        return await self._send(Call("GET", f"/graph/communities/{community_id}"), a.CommunityDetailAnswer)

    async def detect_communities(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """Detect now instead of once the graph has rested; the job, which does nothing where nothing changed."""
        return await self._send(Call("POST", "/graph/communities/detect", key=idempotency_key), a.JobAnswer)

    def list_summaries(
        self,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.NodeSummaryAnswer, a.NodeSummaryPage]:
        """The summaries of the space, those of the most mentioned nodes first.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call("GET", "/graph/summaries", query={"limit": page_size, "cursor": cursor}),
            a.NodeSummaryPage,
        )

    async def list_waiting_summaries(
        self,
        *,
        limit: int | Omit = OMIT,
    ) -> list[a.WaitingSummaryAnswer]:
        """The summaries that a burst of changes put off, the first to be looked at again first.

        limit: Summaries to show.
        """
        return await self._send(
            Call("GET", "/graph/summaries/waiting", query={"limit": limit}), list[a.WaitingSummaryAnswer]
        )

    async def read_gate(
        self,
        *,
        skips: int | Omit = OMIT,
    ) -> a.GateReportAnswer:
        """Count the gate's decisions, by reason, and show a sample of its skips.

        skips: Skips to show, the newest first.
        """
        return await self._send(
            Call("GET", "/graph/summaries/gate", query={"skips": skips}), a.GateReportAnswer
        )

    async def refresh_summaries(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """Have the gate look at every node now; the job. What did not change costs nothing, as ever."""
        return await self._send(Call("POST", "/graph/summaries/refresh", key=idempotency_key), a.JobAnswer)

    async def retrieve(
        self,
        query: str,
        *,
        strategy: b.Strategy | Omit = OMIT,
        scoring: b.Scoring | Omit = OMIT,
        top_k: int | Omit = OMIT,
        min_score: float | Omit = OMIT,
        as_of: dt.datetime | str | Omit | None = OMIT,
    ) -> a.RetrievedAnswer:
        """The passages that answer, best first, each with its score's parts, and the facts around the anchors.

        query: A question or some words.
        strategy: Which channels look.
        scoring: What the passages are ordered by.
        top_k: Passages in the answer at most.
        min_score: Passages below this are left out.
        as_of: Claims that held at that moment.
        """
        return await self._send(
            Call(
                "POST",
                "/retrieve",
                body={
                    "query": query,
                    "strategy": strategy,
                    "scoring": scoring,
                    "top_k": top_k,
                    "min_score": min_score,
                    "as_of": as_of,
                },
                reads=True,
            ),
            a.RetrievedAnswer,
        )

    async def ask(
        self,
        question: str,
        *,
        scope: b.AnswerScope | Omit = OMIT,
        history: Sequence[b.TurnBody] | Omit = OMIT,
        context_format: b.ContextFormat | Omit = OMIT,
        as_of: dt.datetime | str | Omit | None = OMIT,
    ) -> a.AskAnswer:
        """The answer, every sentence with the citations that it rests on. 409 needs_communities, 429, 503 busy.

        Where the tenant's tokens of the month are used up nothing is asked: 429 quota_exceeded, `quota` tokens.

        Where text/event-stream is accepted it comes as events: context, a sentence for each sentence, citations,
        done with the whole answer; error where the model stops before its end or the space is gone; and end where
        the key has ended, with the reason. A model that fails is no failure of the call: the answer quotes
        instead and its warnings say why.

        scope: local: what the graph names; global: the space as a whole.
        context_format: How the context tells its facts.
        as_of: What was said to hold at that moment.
        """
        return await self._send(
            Call(
                "POST",
                "/ask",
                body={
                    "question": question,
                    "scope": scope,
                    "history": history,
                    "context_format": context_format,
                    "as_of": as_of,
                },
                reads=True,
            ),
            a.AskAnswer,
        )

    def plan_eviction(
        self,
        *,
        including_last_evidence: bool | Omit | None = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.EvictableChunkAnswer, a.EvictionPlanAnswer]:
        """A dry run: what would go now, and why. Nothing is changed.

        including_last_evidence: Whether the last evidence of an edge may go.
        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call(
                "GET",
                "/eviction",
                query={
                    "including_last_evidence": including_last_evidence,
                    "limit": page_size,
                    "cursor": cursor,
                },
            ),
            a.EvictionPlanAnswer,
        )

    async def evict(
        self,
        *,
        including_last_evidence: bool | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """The job that lets go of what a dry run shows. 409 no_eviction_policy.

        including_last_evidence: Whether the last evidence of an edge may go; null: as eviction_last_evidence says.
        """
        return await self._send(
            Call(
                "POST",
                "/eviction",
                body={"including_last_evidence": including_last_evidence},
                key=idempotency_key,
            ),
            a.JobAnswer,
        )

    async def split_node(
        self,
        node_id: UUID | str,
        sense: str,
        *,
        chunk_ids: Sequence[UUID | str] | Omit = OMIT,
        document_ids: Sequence[UUID | str] | Omit = OMIT,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.SplitAnswer:
        """Give what these chunks and documents say of the node to a node of its own. 404, 409 name_taken.

        sense: A word or two that tell it apart, as in "planet".
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call(
                "POST",
                f"/graph/nodes/{node_id}/split",
                body={"sense": sense, "chunk_ids": chunk_ids, "document_ids": document_ids},
                key=idempotency_key,
                if_match=if_match,
            ),
            a.SplitAnswer,
        )

    def list_splits(
        self,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.SplitAnswer, a.SplitPage]:
        """The ledger of splits, those of ingests and of persons, newest first.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self, Call("GET", "/graph/splits", query={"limit": page_size, "cursor": cursor}), a.SplitPage
        )

    async def undo_split(
        self,
        split_id: UUID | str,
        *,
        idempotency_key: str | None = None,
    ) -> a.NodeAnswer:
        """Make the two nodes one again; the one that stays. 404, 409 already_undone, merged_again, node_gone."""
        return await self._send(
            Call("POST", f"/graph/splits/{split_id}/undo", key=idempotency_key), a.NodeAnswer
        )

    async def end_value(
        self,
        node_id: UUID | str,
        name: str,
        value: str | float | bool,
        reason: str,
        *,
        at: dt.datetime | str | Omit | None = OMIT,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.ValuesAnswer:
        """End a value of the node, with every chunk that states it; of the others the latest holds. 404, 409
        already_ended.

        name: The attribute.
        reason: Kept with the decision; at most 1,000 bytes.
        at: Since when it does not hold; unset: now.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call(
                "POST",
                f"/graph/nodes/{node_id}/values/end",
                body={"name": name, "value": value, "reason": reason, "at": at},
                key=idempotency_key,
                if_match=if_match,
            ),
            a.ValuesAnswer,
        )

    async def uphold_value(
        self,
        node_id: UUID | str,
        name: str,
        value: str | float | bool,
        reason: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.ValuesAnswer:
        """Say that this value holds: all others that stand end now. 404, 409 nothing_to_decide.

        name: The attribute.
        reason: Kept with the decision; at most 1,000 bytes.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call(
                "POST",
                f"/graph/nodes/{node_id}/values/uphold",
                body={"name": name, "value": value, "reason": reason},
                key=idempotency_key,
                if_match=if_match,
            ),
            a.ValuesAnswer,
        )

    async def restore_value(
        self,
        node_id: UUID | str,
        name: str,
        value: str | float | bool,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.ValuesAnswer:
        """Take back that a value ended, for every chunk that states it. 404, 409 not_ended.

        name: The attribute.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call(
                "POST",
                f"/graph/nodes/{node_id}/values/restore",
                body={"name": name, "value": value},
                key=idempotency_key,
                if_match=if_match,
            ),
            a.ValuesAnswer,
        )

    async def begin_trial(
        self,
        *,
        model: str | Omit | None = OMIT,
        settings: Mapping[str, Any] | Omit = OMIT,
        chunks: int | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """Read a sample of chunks by another model or other settings, in a job; nothing of it enters the graph.

        409 trial_running, 422 nothing_to_try, model_not_offered, not_triable.

        model: One of CITEGRAPH_LLM_MODELS, or `rules`; null: the space's own.
        settings: Settings that are to be others: extra_node_types, extra_relation_types, gleanings, min_confidence, open_relations, specific_relations, statements, turns_before.
        chunks: Chunks of the sample.
        """
        return await self._send(
            Call(
                "POST",
                "/trials",
                body={"model": model, "settings": settings, "chunks": chunks},
                key=idempotency_key,
            ),
            a.JobAnswer,
        )

    async def list_trials(
        self,
    ) -> a.TrialsAnswer:
        """The space's trials that stand, newest first, at most 50."""
        return await self._send(Call("GET", "/trials"), a.TrialsAnswer)

    async def read_trial(
        self,
        trial_id: UUID | str,
    ) -> a.TrialReportAnswer:
        """The trial beside the graph: claims that it adds, loses and types otherwise, cost and speed. 404."""
        return await self._send(Call("GET", f"/trials/{trial_id}"), a.TrialReportAnswer)

    async def drop_trial(
        self,
        trial_id: UUID | str,
    ) -> None:
        """Remove what the trial read; one under way is cancelled. 404."""
        await self._perform(Call("DELETE", f"/trials/{trial_id}"))

    async def promote_trial(
        self,
        trial_id: UUID | str,
        *,
        reread: bool | Omit = OMIT,
        force: bool | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> a.PromotionAnswer:
        """Give the space the trial's model and settings, and have its documents read again by them in a job. With
        the gate that job fails with `worse_answers` where a golden question is answered worse, and changes
        nothing. 404, 409 trial_unfinished, reread_running, not_evaluated, 422 model_not_offered.

        reread: Whether documents are read again that another model or prompt has read.
        force: Whether to pass the gate of the golden questions (`golden_gate`).
        """
        return await self._send(
            Call(
                "POST",
                f"/trials/{trial_id}/promote",
                query={"reread": reread, "force": force},
                key=idempotency_key,
            ),
            a.PromotionAnswer,
        )

    async def add_golden_questions(
        self,
        questions: Sequence[b.GoldenQuestionBody],
        *,
        idempotency_key: str | None = None,
    ) -> a.GoldenAddedAnswer:
        """Add golden questions, or change what is expected of those in the same words. 422 bad_golden_question,
        too_many_golden_questions.
        """
        return await self._send(
            Call("POST", "/golden/questions", body={"questions": questions}, key=idempotency_key),
            a.GoldenAddedAnswer,
        )

    async def list_golden_questions(
        self,
    ) -> a.GoldenQuestionsAnswer:
        """The space's golden questions, oldest first, at most 1,000."""
        return await self._send(Call("GET", "/golden/questions"), a.GoldenQuestionsAnswer)

    async def remove_golden_question(
        self,
        question_id: UUID | str,
    ) -> None:
        """Remove a golden question, with what became of it in all runs. 404."""
        await self._perform(Call("DELETE", f"/golden/questions/{question_id}"))

    async def begin_golden_run(
        self,
        *,
        settings: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """Ask all golden questions in a job, as the space is set or with settings changed for this run alone.

        409 run_under_way, 422 no_golden_question, not_tried_by_questions.

        settings: Settings that are to be others: anchor_similarity, context_tokens, fact_confirmed_weight, fact_decay, fact_grace_days, fact_source_weights, fact_usage_boost, fan_out, hybrid_weights, max_facts, promotion_threshold, similar_anchors, single_valued_relations, statement_weight, verify_sentences.
        """
        return await self._send(
            Call("POST", "/golden/runs", body={"settings": settings}, key=idempotency_key), a.JobAnswer
        )

    async def list_golden_runs(
        self,
    ) -> a.GoldenRunsAnswer:
        """The space's runs, newest first, at most 100."""
        return await self._send(Call("GET", "/golden/runs"), a.GoldenRunsAnswer)

    async def read_golden_run(
        self,
        golden_run_id: UUID | str,
        *,
        against: UUID | str | Omit | None = OMIT,
    ) -> a.GoldenReportAnswer:
        """A run question by question, with what got worse and better. 404.

        against: The run to compare with; else the one before it as the space was set.
        """
        return await self._send(
            Call("GET", f"/golden/runs/{golden_run_id}", query={"against": against}), a.GoldenReportAnswer
        )


class AsyncClientMethods(AsyncCaller):
    """All that belongs to no space: the tenant's own things, and the operator's."""

    async def read_health(
        self,
    ) -> a.Health:
        """The process lives; nothing else is asked."""
        return await self._send(Call("GET", "/healthz"), a.Health)

    async def read_readiness(
        self,
    ) -> a.Readiness:
        """The database is reachable, at this version's schema, and walled; else 503 with the reason. A second old
        at most.
        """
        return await self._send(Call("GET", "/readyz"), a.Readiness)

    async def create_tenant(
        self,
        name: str,
        *,
        idempotency_key: str | None = None,
    ) -> a.NewTenantAnswer:
        """A new tenant and a first key that may do everything in it. 409 name_taken."""
        return await self._send(
            Call("POST", "/v1/tenants", body={"name": name}, key=idempotency_key), a.NewTenantAnswer
        )

    def list_tenants(
        self,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.TenantAnswer, a.TenantPage]:
        """All tenants, oldest first.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self, Call("GET", "/v1/tenants", query={"limit": page_size, "cursor": cursor}), a.TenantPage
        )

    async def change_tenant(
        self,
        tenant_id: UUID | str,
        *,
        name: str | Omit | None = OMIT,
        budget_usd: float | Omit | None = OMIT,
        quotas: b.QuotaBody | Omit | None = OMIT,
    ) -> a.TenantAnswer:
        """The tenant with another name, budget or quotas. 404, 409 name_taken.

        What has grown beyond a quota stays, and nothing is added. Jobs that waited for budget or tokens go on.

        budget_usd: US dollars a month for model calls; null takes the budget away.
        """
        return await self._send(
            Call(
                "PATCH",
                f"/v1/tenants/{tenant_id}",
                body={"name": name, "budget_usd": budget_usd, "quotas": quotas},
            ),
            a.TenantAnswer,
        )

    async def delete_tenant(
        self,
        tenant_id: UUID | str,
    ) -> a.DeletionAnswer:
        """Erase a tenant with all that it owns, leaving one audit row. 404.

        202 for one with much or with many spaces: its keys end and nobody finds it any more, and workers remove
        its rows.
        """
        return await self._send(Call("DELETE", f"/v1/tenants/{tenant_id}"), a.DeletionAnswer)

    async def read_deletion(
        self,
        tenant_id: UUID | str,
    ) -> a.DeletionAnswer:
        """The receipt of a tenant's erasure, as the platform's audit keeps it. 404 also for one that stands.

        `deleting` while workers remove its rows; `rows` are known once all are gone.
        """
        return await self._send(Call("GET", f"/v1/tenants/{tenant_id}/deletion"), a.DeletionAnswer)

    async def read_own_tenant(
        self,
    ) -> a.OwnTenantAnswer:
        """The key's own tenant. 404 once it is erased."""
        return await self._send(Call("GET", "/v1/tenant"), a.OwnTenantAnswer)

    async def create_key(
        self,
        name: str,
        scopes: Sequence[Literal["read", "write", "admin"]],
        *,
        space_ids: Sequence[UUID | str] | Omit | None = OMIT,
        expires_at: dt.datetime | str | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> a.NewKeyAnswer:
        """A new key, its token shown this once. It has no scope, space or time that the caller's key lacks.

        403 scope_missing, 404 for a space that the tenant does not have, 422 expires_too_late.

        space_ids: The only spaces it reaches; null means all.
        expires_at: Else when the key ends that makes it, if it does.
        """
        return await self._send(
            Call(
                "POST",
                "/v1/api-keys",
                body={"name": name, "scopes": scopes, "space_ids": space_ids, "expires_at": expires_at},
                key=idempotency_key,
            ),
            a.NewKeyAnswer,
        )

    def list_keys(
        self,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.KeyAnswer, a.KeyPage]:
        """The tenant's keys, oldest first, revoked ones included.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self, Call("GET", "/v1/api-keys", query={"limit": page_size, "cursor": cursor}), a.KeyPage
        )

    async def revoke_key(
        self,
        key_id: UUID | str,
    ) -> None:
        """End a key at once. 404 also for one that was revoked before."""
        await self._perform(Call("DELETE", f"/v1/api-keys/{key_id}"))

    def list_usage(
        self,
        *,
        days: int | Omit = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.UsageAnswer, a.UsagePage]:
        """List the usage of the spaces that the key reaches, newest day first.

        days: How many days, today included.
        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call("GET", "/v1/usage", query={"days": days, "limit": page_size, "cursor": cursor}),
            a.UsagePage,
        )

    async def list_quotas(
        self,
    ) -> list[a.QuotaAnswer]:
        """List what the tenant has in all its spaces, and may have."""
        return await self._send(Call("GET", "/v1/quotas"), list[a.QuotaAnswer])

    def list_audit(
        self,
        *,
        actor: str | Omit | None = OMIT,
        action: str | Omit | None = OMIT,
        space_id: UUID | str | Omit | None = OMIT,
        concerned: UUID | str | Omit | None = OMIT,
        outcome: b.Outcome | Omit | None = OMIT,
        since: dt.datetime | str | Omit | None = OMIT,
        until: dt.datetime | str | Omit | None = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.AuditAnswer, a.AuditPage]:
        """Who did what in the tenant, newest first.

        actor: Who did it, exactly.
        action: An action, or the first part of several, such as node.
        space_id: Only what was done in this space.
        concerned: The id of whatever was acted upon.
        outcome: done or refused.
        since: Not before this moment.
        until: Before this moment.
        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call(
                "GET",
                "/v1/audit",
                query={
                    "actor": actor,
                    "action": action,
                    "space_id": space_id,
                    "concerned": concerned,
                    "outcome": outcome,
                    "since": since,
                    "until": until,
                    "limit": page_size,
                    "cursor": cursor,
                },
            ),
            a.AuditPage,
        )

    async def download_audit(
        self,
        *,
        actor: str | Omit | None = OMIT,
        action: str | Omit | None = OMIT,
        space_id: UUID | str | Omit | None = OMIT,
        concerned: UUID | str | Omit | None = OMIT,
        outcome: b.Outcome | Omit | None = OMIT,
        since: dt.datetime | str | Omit | None = OMIT,
        until: dt.datetime | str | Omit | None = OMIT,
    ) -> str:
        """The newest 10,000 entries as CSV, safe from formulas; `until` leads on to older ones.

        actor: Who did it, exactly.
        action: An action, or the first part of several, such as node.
        space_id: Only what was done in this space.
        concerned: The id of whatever was acted upon.
        outcome: done or refused.
        since: Not before this moment.
        until: Before this moment.
        """
        return await self._read_text(
            Call(
                "GET",
                "/v1/audit.csv",
                query={
                    "actor": actor,
                    "action": action,
                    "space_id": space_id,
                    "concerned": concerned,
                    "outcome": outcome,
                    "since": since,
                    "until": until,
                },
            )
        )

    async def create_space(
        self,
        name: str,
        *,
        description: str | Omit = OMIT,
        settings: b.SpaceSettingsBody | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> a.SpaceAnswer:
        """A new, empty space. 409 name_taken."""
        return await self._send(
            Call(
                "POST",
                "/v1/spaces",
                body={"name": name, "description": description, "settings": settings},
                key=idempotency_key,
            ),
            a.SpaceAnswer,
        )

    def list_spaces(
        self,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.SpaceAnswer, a.SpacePage]:
        """The tenant's spaces that the key reaches, oldest first.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self, Call("GET", "/v1/spaces", query={"limit": page_size, "cursor": cursor}), a.SpacePage
        )

    async def add_webhook(
        self,
        url: str,
        events: Sequence[Literal["job.done", "job.failed", "budget.reached", "conflict.found"]],
        *,
        idempotency_key: str | None = None,
    ) -> a.NewWebhookAnswer:
        """A new webhook; its secret is shown this once. 422 webhook_address_refused, 429 quota_exceeded.

        url: An https address; it must lead to public addresses alone.
        """
        return await self._send(
            Call("POST", "/v1/webhooks", body={"url": url, "events": events}, key=idempotency_key),
            a.NewWebhookAnswer,
        )

    def list_webhooks(
        self,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.WebhookAnswer, a.WebhookPage]:
        """The tenant's webhooks, oldest first.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self, Call("GET", "/v1/webhooks", query={"limit": page_size, "cursor": cursor}), a.WebhookPage
        )

    async def read_webhook(
        self,
        webhook_id: UUID | str,
    ) -> a.WebhookAnswer:
        """The webhook. 404."""
        return await self._send(Call("GET", f"/v1/webhooks/{webhook_id}"), a.WebhookAnswer)

    async def change_webhook(
        self,
        webhook_id: UUID | str,
        enabled: bool,
        *,
        if_match: str | None = None,
    ) -> a.WebhookAnswer:
        """The webhook, enabled or disabled; what waits for it is sent once it is enabled. 404.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call("PATCH", f"/v1/webhooks/{webhook_id}", body={"enabled": enabled}, if_match=if_match),
            a.WebhookAnswer,
        )

    async def remove_webhook(
        self,
        webhook_id: UUID | str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Remove the webhook with its messages. 404.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        await self._perform(Call("DELETE", f"/v1/webhooks/{webhook_id}", if_match=if_match))

    async def rotate_secret(
        self,
        webhook_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.NewWebhookAnswer:
        """The webhook with a new secret, shown this once; for a day messages are signed by both. 404.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call("POST", f"/v1/webhooks/{webhook_id}/rotate", key=idempotency_key, if_match=if_match),
            a.NewWebhookAnswer,
        )

    async def send_test(
        self,
        webhook_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.DeliveryAnswer:
        """A message of the event `test`, sent at once by a worker. 404, 409 webhook_disabled, webhook_full.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return await self._send(
            Call("POST", f"/v1/webhooks/{webhook_id}/test", key=idempotency_key, if_match=if_match),
            a.DeliveryAnswer,
        )

    def list_deliveries(
        self,
        webhook_id: UUID | str,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> AsyncPages[a.DeliveryAnswer, a.DeliveryPage]:
        """The webhook's messages of the last 30 days, newest first. 404.

        cursor: next_cursor of the page before.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return AsyncPages(
            self,
            Call(
                "GET", f"/v1/webhooks/{webhook_id}/deliveries", query={"limit": page_size, "cursor": cursor}
            ),
            a.DeliveryPage,
        )

    async def replay(
        self,
        webhook_id: UUID | str,
        delivery_id: UUID | str,
        *,
        idempotency_key: str | None = None,
    ) -> a.DeliveryAnswer:
        """The message, sent again under the same id. 404, 409 webhook_disabled, delivery_pending."""
        return await self._send(
            Call("POST", f"/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay", key=idempotency_key),
            a.DeliveryAnswer,
        )
