"""The synchronous methods. Written by `make client` from the OpenAPI document; not edited."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from citegraph_client.call import OMIT, Call, Omit
from citegraph_client.generated import answers as a
from citegraph_client.generated import bodies as b
from citegraph_client.generated.synchronous.transport import Caller, Pages


class SpaceMethods(Caller):
    """All that may be asked of one space."""

    def read_space(
        self,
    ) -> a.SpaceAnswer:
        """Return the space. 404."""
        return self._send(Call("GET", ""), a.SpaceAnswer)

    def update_space(
        self,
        *,
        force: bool | Omit = OMIT,
        name: str | Omit | None = OMIT,
        description: str | Omit | None = OMIT,
        settings: b.SpaceSettingsChanges | Omit | None = OMIT,
        if_match: str | None = None,
    ) -> a.SpaceAnswer:
        """Change the given fields of the space; return it. 404, 409 name_taken, not_evaluated, worse_answers, 412
        stale_version.

        force: Whether to skip the gate of the golden questions (`golden_gate`).
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call(
                "PATCH",
                "",
                query={"force": force},
                body={"name": name, "description": description, "settings": settings},
                if_match=if_match,
            ),
            a.SpaceAnswer,
        )

    def delete_space(
        self,
        *,
        if_match: str | None = None,
    ) -> a.DeletionAnswer:
        """Remove the space and all that it owns; its jobs are cancelled. 404, 412 stale_version.

        202 for a large space: it can no longer be found, and a job removes its rows; `GET …/deletion` has the
        progress.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(Call("DELETE", "", if_match=if_match), a.DeletionAnswer)

    def read_space_deletion(
        self,
    ) -> a.DeletionAnswer:
        """Return the progress of a space's deletion, and its receipt at the end. 404 also if the space exists.

        While the state is `deleting`, `rows` has the rows removed so far.
        """
        return self._send(Call("GET", "/deletion"), a.DeletionAnswer)

    def plan_embedding(
        self,
        *,
        model: str | Omit | None = OMIT,
        dimensions: int | Omit | None = OMIT,
    ) -> a.EmbeddingPlanAnswer:
        """Estimate a change of the space's model without making it. No model is called. 422 model_not_offered.

        model: The new model; the default is the service's own.
        dimensions: Length of its vectors.
        """
        return self._send(
            Call("GET", "/embedding", query={"model": model, "dimensions": dimensions}), a.EmbeddingPlanAnswer
        )

    def change_embedding(
        self,
        model: str,
        *,
        dimensions: int | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """Start the job that changes the model while queries go on.

        404, 409 embedding_unchanged, embedding_change_running, 422 model_not_offered.

        model: One that the operator offers; hashed-ngrams-256 and all-minilm-l6-v2-384 run locally.
        dimensions: The expected length of its vectors, as a check.
        """
        return self._send(
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
    ) -> Pages[a.DocumentAnswer, a.DocumentPage]:
        """The space's documents, newest first.

        source_uri_prefix: Only those whose address has this prefix, such as `file:papers/`.
        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
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

    def retry_failed(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> a.RetryAnswer:
        """Queue again, in one job, the oldest 1,000 documents that failed or have quarantined chunks. 409
        document_not_failed, 429 too_many_jobs.
        """
        return self._send(Call("POST", "/documents/retry", key=idempotency_key), a.RetryAnswer)

    def retry_document(
        self,
        document_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.JobAnswer:
        """Queue again a document that failed, or its quarantined chunks; return its job. 404, 409
        document_not_failed, 429 too_many_jobs.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call("POST", f"/documents/{document_id}/retry", key=idempotency_key, if_match=if_match),
            a.JobAnswer,
        )

    def read_document(
        self,
        document_id: UUID | str,
    ) -> a.DocumentDetailAnswer:
        """Return the document, with those of its chunks from which no graph could be extracted. 404."""
        return self._send(Call("GET", f"/documents/{document_id}"), a.DocumentDetailAnswer)

    def change_document(
        self,
        document_id: UUID | str,
        trust: float,
        *,
        if_match: str | None = None,
    ) -> a.DocumentAnswer:
        """Change the trust in a document: claims end and hold as if it had always had that trust. 404, 409
        less_trusted for a caller with less trust than the document, document_not_read while it is being read.

        trust: The new trust; `source_trust` and `uploader_trust` limit it.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call("PATCH", f"/documents/{document_id}", body={"trust": trust}, if_match=if_match),
            a.DocumentAnswer,
        )

    def delete_document(
        self,
        document_id: UUID | str,
        *,
        prune: bool | Omit | None = OMIT,
        dry_run: bool | Omit = OMIT,
        if_match: str | None = None,
    ) -> a.RemovalAnswer:
        """Remove the document and its words: text, quotes, names, summaries, stored model answers. 404.

        Its edges remain as rows, `unsupported` if no other document states them. With `dry_run` nothing is
        changed.

        prune: Also remove what loses its last evidence; the default is the space's prune_deleted.
        dry_run: Only report what it would change.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
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
    ) -> Pages[a.ChunkAnswer, a.ChunkPage]:
        """List the document's chunks in their order. 404.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self,
            Call("GET", f"/documents/{document_id}/chunks", query={"limit": page_size, "cursor": cursor}),
            a.ChunkPage,
        )

    def read_chunk(
        self,
        chunk_id: UUID | str,
    ) -> a.ChunkAnswer:
        """Return the chunk that a citation names. 404."""
        return self._send(Call("GET", f"/chunks/{chunk_id}"), a.ChunkAnswer)

    def read_text(
        self,
        document_id: UUID | str,
        *,
        start: int | Omit = OMIT,
        length: int | Omit = OMIT,
    ) -> a.DocumentTextAnswer:
        """Return a part of the document's text, with the words that name nodes and state claims. 404, 409
        document_not_read.

        start: First character of the part.
        length: Characters of the part at most.
        """
        return self._send(
            Call("GET", f"/documents/{document_id}/text", query={"start": start, "length": length}),
            a.DocumentTextAnswer,
        )

    def move_documents(
        self,
        documents: Sequence[b.MoveBody],
        *,
        idempotency_key: str | None = None,
    ) -> a.MovedAnswer:
        """Give documents new addresses, possibly those that others of them give up; nothing is read again.

        A title that was the name of the file becomes the new name. 404, 409 same_address for an address that
        another document keeps.
        """
        return self._send(
            Call("POST", "/documents/move", body={"documents": documents}, key=idempotency_key), a.MovedAnswer
        )

    def preview_removals(
        self,
        document_ids: Sequence[UUID | str],
        *,
        prune: bool | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> a.RemovalsAnswer:
        """Report what removing these documents, one after the other, would change; nothing is changed. 404.

        prune: Also remove what loses its last evidence; the default is the space's prune_deleted.
        """
        return self._send(
            Call(
                "POST",
                "/documents/preview-removals",
                body={"document_ids": document_ids, "prune": prune},
                key=idempotency_key,
            ),
            a.RemovalsAnswer,
        )

    def read_overview(
        self,
        *,
        days: int | Omit = OMIT,
    ) -> a.OverviewAnswer:
        """Show the space's contents, its waiting and running jobs, this month's cost and the usage by day.
        404.

        days: Number of days, including today.
        """
        return self._send(Call("GET", "/overview", query={"days": days}), a.OverviewAnswer)

    def list_jobs(
        self,
        *,
        state: b.JobState | Omit | None = OMIT,
        kind: str | Omit = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.JobAnswer, a.JobPage]:
        """List the space's jobs, newest first.

        state: Only jobs in this state.
        kind: Only jobs of this kind, such as ingest.documents.
        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self,
            Call("GET", "/jobs", query={"state": state, "kind": kind, "limit": page_size, "cursor": cursor}),
            a.JobPage,
        )

    def read_job(
        self,
        job_id: UUID | str,
    ) -> a.JobDetailAnswer:
        """Return the job, and the documents and chunks that it skipped because they failed. 404."""
        return self._send(Call("GET", f"/jobs/{job_id}"), a.JobDetailAnswer)

    def cancel_job(
        self,
        job_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.JobAnswer:
        """Cancel the job at once if it is queued, otherwise at its next step; return it. 404, 409 job_ended.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call("POST", f"/jobs/{job_id}/cancel", key=idempotency_key, if_match=if_match), a.JobAnswer
        )

    def retry_job(
        self,
        job_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.JobAnswer:
        """Queue the job again with what it left unread: documents, and quarantined chunks of others.

        A parked or postponed job runs now. 404, 409 job_not_retryable, 429 too_many_jobs.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
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
    ) -> Pages[a.NodeAnswer, a.NodePage]:
        """List the space's nodes, most mentioned first.

        q: Words in names and aliases; no wildcards.
        cursor: next_cursor of the previous page.
        match: Whether names must contain `q` as a phrase, all of its words, or any of them.
        tag: Only nodes that have this tag.
        first_seen_from: First seen at that time or later.
        last_seen_from: Last seen at that time or later.
        community_id: Only nodes of this community.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
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

    def read_node(
        self,
        node_id: UUID | str,
    ) -> a.NodeDetailAnswer:
        """Return the node, its summary, the claims about it (parallel edges combined), and the nodes named with
        it.

        404.
        """
        return self._send(Call("GET", f"/graph/nodes/{node_id}"), a.NodeDetailAnswer)

    def list_mentions(
        self,
        node_id: UUID | str,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.MentionAnswer, a.MentionPage]:
        """List the chunks that mention the node, in the order of their ids, with the words around it. 404.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self,
            Call("GET", f"/graph/nodes/{node_id}/mentions", query={"limit": page_size, "cursor": cursor}),
            a.MentionPage,
        )

    def list_communities_of_node(
        self,
        node_id: UUID | str,
    ) -> a.NodeCommunitiesAnswer:
        """List the communities that hold the node, one of each level, finest first; none before the first run.
        404.
        """
        return self._send(Call("GET", f"/graph/nodes/{node_id}/communities"), a.NodeCommunitiesAnswer)

    def list_summary_decisions(
        self,
        node_id: UUID | str,
    ) -> list[a.GateDecisionAnswer]:
        """List the gate's decisions about the node's summary, newest first, each with its criteria. 404.

        At most fifty are kept.
        """
        return self._send(
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
    ) -> Pages[a.EdgeAnswer, a.EdgePage]:
        """List the space's edges, oldest first, each with its evidence. 404 for an unknown node.

        node_id: Only edges that touch this node.
        layer: Only claims, or only statements.
        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
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

    def list_relation_types(
        self,
    ) -> a.RelationTypesAnswer:
        """List every relation type with its number of edges and averages, most frequent first."""
        return self._send(Call("GET", "/graph/relation-types"), a.RelationTypesAnswer)

    def read_neighborhood(
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
        """Return the node, its neighbours up to `depth` hops away, and every edge among them. 404."""
        return self._send(
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

    def read_neighbors(
        self,
        node_ids: Sequence[UUID | str],
        *,
        direction: b.Direction | Omit = OMIT,
        filters: b.FiltersBody | Omit = OMIT,
    ) -> a.NeighborhoodAnswer:
        """Return a list of nodes and their direct neighbours. Unknown ids are listed in `missing`."""
        return self._send(
            Call(
                "POST",
                "/graph/neighbors",
                body={"node_ids": node_ids, "direction": direction, "filters": filters},
                reads=True,
            ),
            a.NeighborhoodAnswer,
        )

    def explain(
        self,
        *,
        question: str | Omit | None = OMIT,
        from_: str | Omit | None = OMIT,
        to: str | Omit | None = OMIT,
        max_hops: int | Omit = OMIT,
        limit: int | Omit | None = OMIT,
        filters: b.FiltersBody | Omit = OMIT,
    ) -> a.ExplanationAnswer:
        """Explain how the graph answers a question, or how two nodes are connected, with every edge's
        evidence.

        limit: Maximum number of facts; the default is the space's setting.
        """
        return self._send(
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

    def list_duplicates(
        self,
        *,
        limit: int | Omit = OMIT,
    ) -> a.DuplicatesAnswer:
        """List pairs of nodes that may be one thing under two spellings and about which nobody has decided."""
        return self._send(Call("GET", "/graph/duplicates", query={"limit": limit}), a.DuplicatesAnswer)

    def merge_nodes(
        self,
        winner_id: UUID | str,
        loser_id: UUID | str,
        *,
        idempotency_key: str | None = None,
    ) -> a.MergeAnswer:
        """Merge two nodes and record it in the ledger; `undo` reverses it exactly. 404, 422."""
        return self._send(
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
    ) -> Pages[a.MergeAnswer, a.MergePage]:
        """List the ledger of merges, those of ingests and of persons, newest first.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self, Call("GET", "/graph/merges", query={"limit": page_size, "cursor": cursor}), a.MergePage
        )

    def preview_merge(
        self,
        winner_id: UUID | str,
        loser_id: UUID | str,
    ) -> a.MergePreviewAnswer:
        """Return the changes that a merge would make, without making it. 404, 422."""
        return self._send(
            Call(
                "POST",
                "/graph/merges/preview",
                body={"winner_id": winner_id, "loser_id": loser_id},
                reads=True,
            ),
            a.MergePreviewAnswer,
        )

    def undo_merge(
        self,
        merge_id: UUID | str,
        *,
        idempotency_key: str | None = None,
    ) -> a.NodeAnswer:
        """Undo a merge, and record that the two nodes are different; return the restored node.

        404, 409 already_undone, nothing_left, merged_again, winner_gone, name_taken.
        """
        return self._send(Call("POST", f"/graph/merges/{merge_id}/undo", key=idempotency_key), a.NodeAnswer)

    def list_kept_apart(
        self,
        *,
        limit: int | Omit = OMIT,
    ) -> a.KeptApartListAnswer:
        """List the pairs that somebody decided are not the same thing, the newest first."""
        return self._send(Call("GET", "/graph/kept-apart", query={"limit": limit}), a.KeptApartListAnswer)

    def keep_apart(
        self,
        node_ids: Sequence[UUID | str],
        *,
        idempotency_key: str | None = None,
    ) -> None:
        """Record that two nodes are different: no ingest merges them, and they are not listed as duplicates. 404,
        422.
        """
        self._perform(Call("POST", "/graph/kept-apart", body={"node_ids": node_ids}, key=idempotency_key))

    def reconsider(
        self,
        a: b.NameAndTypeBody,
        b: b.NameAndTypeBody,
        *,
        idempotency_key: str | None = None,
    ) -> None:
        """Withdraw the decision that two names are different nodes. 404 if there is none."""
        self._perform(
            Call("POST", "/graph/kept-apart/reconsider", body={"a": a, "b": b}, key=idempotency_key)
        )

    def rename_node(
        self,
        node_id: UUID | str,
        name: str,
        *,
        if_match: str | None = None,
    ) -> a.NodeAnswer:
        """Rename the node, whatever texts call it; its former name becomes an alias. 404, 409 name_taken,
        same_name.

        name: At most 300 characters.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call("PUT", f"/graph/nodes/{node_id}/name", body={"name": name}, if_match=if_match), a.NodeAnswer
        )

    def restore_name(
        self,
        node_id: UUID | str,
        *,
        if_match: str | None = None,
    ) -> a.NodeAnswer:
        """Restore the name that texts give the node. 404, 409 no_given_name, name_taken.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(Call("DELETE", f"/graph/nodes/{node_id}/name", if_match=if_match), a.NodeAnswer)

    def list_conflicts(
        self,
        *,
        relation_type: str | Omit | None = OMIT,
        contested: bool | Omit = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.ConflictSetAnswer, a.ConflictSetPage]:
        """List nodes with several values of a relation that the space declares single-valued, and the status of
        each value.

        contested: Only nodes for which several values hold.
        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
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

    def end_conflicts_by_date(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> a.EndedByDateAnswer:
        """End the claims that a later source contradicts, in one page of conflict sets. 409 superseding_off.

        Use it for relations that were declared single-valued after their edges were written; otherwise ingest
        does it. Repeat the call with `next_after` until that is null.

        limit: Conflict sets to process.
        after: `next_after` of the previous call.
        """
        return self._send(
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
        in_force: bool | Omit = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.LedgerRowAnswer, a.LedgerRowPage]:
        """List the ledger of ended claims: why, since when and by whom; newest first.

        in_force: Whether to leave out decisions that were undone.
        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self,
            Call(
                "GET",
                "/graph/invalidations",
                query={"in_force": in_force, "limit": page_size, "cursor": cursor},
            ),
            a.LedgerRowPage,
        )

    def read_edge(
        self,
        edge_id: UUID | str,
    ) -> a.EdgeDetailAnswer:
        """Return the edge, also if it has ended, with the decisions about it. 404."""
        return self._send(Call("GET", f"/graph/edges/{edge_id}"), a.EdgeDetailAnswer)

    def invalidate_edge(
        self,
        edge_id: UUID | str,
        reason: str,
        *,
        at: dt.datetime | str | Omit | None = OMIT,
        scope: b.InvalidationScope | Omit = OMIT,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.DecisionAnswer:
        """End the claim that this edge states; edges that had already ended are unchanged. 404, 409
        already_invalidated.

        reason: Kept with the decision; at most 1,000 bytes.
        at: Since when it does not hold; the default is now.
        scope: The claim with every row that states it, or this edge alone.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call(
                "POST",
                f"/graph/edges/{edge_id}/invalidate",
                body={"reason": reason, "at": at, "scope": scope},
                key=idempotency_key,
                if_match=if_match,
            ),
            a.DecisionAnswer,
        )

    def restore_edge(
        self,
        edge_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.DecisionAnswer:
        """Undo the decision that ended this edge, for all edges that it ended and no others. 404, 409
        not_invalidated.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call("POST", f"/graph/edges/{edge_id}/restore", key=idempotency_key, if_match=if_match),
            a.DecisionAnswer,
        )

    def uphold_edge(
        self,
        edge_id: UUID | str,
        reason: str,
        *,
        at: dt.datetime | str | Omit | None = OMIT,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.DecisionAnswer:
        """Decide that this value of a single-valued relation holds: one decision ends all other values.

        404, 409 not_single_valued, is_denial, nothing_to_decide.

        reason: Kept with the decision; at most 1,000 bytes.
        at: Since when the others do not hold; the default is now.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call(
                "POST",
                f"/graph/edges/{edge_id}/uphold",
                body={"reason": reason, "at": at},
                key=idempotency_key,
                if_match=if_match,
            ),
            a.DecisionAnswer,
        )

    def find_tags(
        self,
        *,
        prefix: str | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> a.TagsAnswer:
        """List tags by prefix, with the number of nodes that have each."""
        return self._send(Call("GET", "/graph/tags", query={"prefix": prefix, "limit": limit}), a.TagsAnswer)

    def set_tags(
        self,
        node_id: UUID | str,
        tags: Sequence[str],
        *,
        if_match: str | None = None,
    ) -> a.NodeTagsAnswer:
        """Replace the node's tags; the eight most relevant are kept. 404.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call("PUT", f"/graph/nodes/{node_id}/tags", body={"tags": tags}, if_match=if_match),
            a.NodeTagsAnswer,
        )

    def suggest_tags(
        self,
        node_id: UUID | str,
        *,
        by: Literal["rules", "model"] | Omit | None = OMIT,
    ) -> a.SuggestedTagsAnswer:
        """Suggest tags for the node; existing ones are reused by prefix. 404, 409 no_model, 429, 503 busy.

        by: The default is the model if one is configured, otherwise rules.
        """
        return self._send(
            Call("POST", f"/graph/nodes/{node_id}/tags/suggest", body={"by": by}, reads=True),
            a.SuggestedTagsAnswer,
        )

    def list_communities(
        self,
        *,
        level: int | Omit | None = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.CommunityAnswer, a.CommunityPage]:
        """List the communities of one level, or of all levels, coarsest and largest first.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self,
            Call("GET", "/graph/communities", query={"level": level, "limit": page_size, "cursor": cursor}),
            a.CommunityPage,
        )

    def list_runs(
        self,
        *,
        limit: int | Omit = OMIT,
    ) -> list[a.CommunityRunAnswer]:
        """List the runs of the detection, the current one first, each with its changes.

        limit: Runs to show; fifty are kept.
        """
        return self._send(
            Call("GET", "/graph/communities/runs", query={"limit": limit}), list[a.CommunityRunAnswer]
        )

    def list_run_events(
        self,
        run_id: UUID | str,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.RunEventAnswer, a.RunEventPage]:
        """List the communities that one run found new, split, merged or gone. 404.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self,
            Call(
                "GET",
                f"/graph/communities/runs/{run_id}/events",
                query={"limit": page_size, "cursor": cursor},
            ),
            a.RunEventPage,
        )

    def read_community(
        self,
        community_id: UUID | str,
    ) -> a.CommunityDetailAnswer:
        """Return the community with members, parts and history. 404."""
        return self._send(Call("GET", f"/graph/communities/{community_id}"), a.CommunityDetailAnswer)

    def detect_communities(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """Detect communities now, without waiting for the graph to rest; return the job, which does nothing if
        nothing changed.
        """
        return self._send(Call("POST", "/graph/communities/detect", key=idempotency_key), a.JobAnswer)

    def list_summaries(
        self,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.NodeSummaryAnswer, a.NodeSummaryPage]:
        """List the summaries of the space, those of the most mentioned nodes first.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self,
            Call("GET", "/graph/summaries", query={"limit": page_size, "cursor": cursor}),
            a.NodeSummaryPage,
        )

    def list_waiting_summaries(
        self,
        *,
        limit: int | Omit = OMIT,
    ) -> list[a.WaitingSummaryAnswer]:
        """List the summaries that were postponed by a burst of changes, the next one due first.

        limit: Summaries to show.
        """
        return self._send(
            Call("GET", "/graph/summaries/waiting", query={"limit": limit}), list[a.WaitingSummaryAnswer]
        )

    def read_gate(
        self,
        *,
        skips: int | Omit = OMIT,
    ) -> a.GateReportAnswer:
        """Count the gate's decisions by reason, and show a sample of its skips.

        skips: Skips to show, the newest first.
        """
        return self._send(Call("GET", "/graph/summaries/gate", query={"skips": skips}), a.GateReportAnswer)

    def refresh_summaries(
        self,
        *,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """Have the gate check every node now; return the job. As always, what did not change costs nothing."""
        return self._send(Call("POST", "/graph/summaries/refresh", key=idempotency_key), a.JobAnswer)

    def retrieve(
        self,
        query: str,
        *,
        strategy: b.Strategy | Omit = OMIT,
        scoring: b.Scoring | Omit = OMIT,
        top_k: int | Omit = OMIT,
        min_score: float | Omit = OMIT,
        as_of: dt.datetime | str | Omit | None = OMIT,
    ) -> a.RetrievedAnswer:
        """Return the passages that answer, best first, each with its score's parts, and the facts around the
        anchors.

        query: A question or some words.
        strategy: The channels to use.
        scoring: The score by which passages are ordered.
        top_k: Maximum number of passages.
        min_score: Passages below this are left out.
        as_of: Only claims that held at that time.
        """
        return self._send(
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

    def ask(
        self,
        question: str,
        *,
        scope: b.AnswerScope | Omit = OMIT,
        history: Sequence[b.TurnBody] | Omit = OMIT,
        context_format: b.ContextFormat | Omit = OMIT,
        as_of: dt.datetime | str | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> a.AskAnswer:
        """Answer the question; every sentence has the citations that support it. 409 needs_communities, 429, 503
        busy.

        If the tenant's tokens of the month are used up, no model is called: 429 quota_exceeded, `quota` tokens.

        If the client accepts text/event-stream, the answer arrives as events: context, one sentence event for
        each sentence, citations, and done with the whole answer; error if the model stops early or the space is
        deleted; and end, with the reason, if the key is no longer valid. The call succeeds even if the model
        fails: the answer then consists of quotes, and its warnings say why.

        scope: local: nodes that the question names; global: the space as a whole.
        context_format: The form in which the context states its facts.
        as_of: Only claims that held at that time.
        """
        return self._send(
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
                key=idempotency_key,
            ),
            a.AskAnswer,
        )

    def plan_eviction(
        self,
        *,
        including_last_evidence: bool | Omit | None = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.EvictableChunkAnswer, a.EvictionPlanAnswer]:
        """List what would be evicted now, and why. Nothing is changed.

        including_last_evidence: Whether the last evidence of an edge may be evicted.
        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
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

    def evict(
        self,
        *,
        including_last_evidence: bool | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """Start the job that evicts what a dry run shows; return it. 409 no_eviction_policy.

        including_last_evidence: Whether the last evidence of an edge may go; null: as in eviction_last_evidence.
        """
        return self._send(
            Call(
                "POST",
                "/eviction",
                body={"including_last_evidence": including_last_evidence},
                key=idempotency_key,
            ),
            a.JobAnswer,
        )

    def split_node(
        self,
        node_id: UUID | str,
        sense: str,
        *,
        chunk_ids: Sequence[UUID | str] | Omit = OMIT,
        document_ids: Sequence[UUID | str] | Omit = OMIT,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.SplitAnswer:
        """Move what these chunks and documents say of the node to a new node. 404, 409 name_taken.

        sense: A word or two that distinguish it, such as "planet".
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
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
    ) -> Pages[a.SplitAnswer, a.SplitPage]:
        """List the ledger of splits, those of ingests and of persons, newest first.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self, Call("GET", "/graph/splits", query={"limit": page_size, "cursor": cursor}), a.SplitPage
        )

    def undo_split(
        self,
        split_id: UUID | str,
        *,
        idempotency_key: str | None = None,
    ) -> a.NodeAnswer:
        """Merge the two nodes again; return the one that stays. 404, 409 already_undone, merged_again,
        node_gone.
        """
        return self._send(Call("POST", f"/graph/splits/{split_id}/undo", key=idempotency_key), a.NodeAnswer)

    def end_value(
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
        """End a value of the node in every chunk that states it; of the others, the latest holds. 404, 409
        already_ended.

        name: The attribute.
        reason: Kept with the decision; at most 1,000 bytes.
        at: Since when it does not hold; the default is now.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call(
                "POST",
                f"/graph/nodes/{node_id}/values/end",
                body={"name": name, "value": value, "reason": reason, "at": at},
                key=idempotency_key,
                if_match=if_match,
            ),
            a.ValuesAnswer,
        )

    def uphold_value(
        self,
        node_id: UUID | str,
        name: str,
        value: str | float | bool,
        reason: str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.ValuesAnswer:
        """Decide that this value holds: all other values end now. 404, 409 nothing_to_decide.

        name: The attribute.
        reason: Kept with the decision; at most 1,000 bytes.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call(
                "POST",
                f"/graph/nodes/{node_id}/values/uphold",
                body={"name": name, "value": value, "reason": reason},
                key=idempotency_key,
                if_match=if_match,
            ),
            a.ValuesAnswer,
        )

    def restore_value(
        self,
        node_id: UUID | str,
        name: str,
        value: str | float | bool,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.ValuesAnswer:
        """Restore an ended value in every chunk that states it. 404, 409 not_ended.

        name: The attribute.
        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call(
                "POST",
                f"/graph/nodes/{node_id}/values/restore",
                body={"name": name, "value": value},
                key=idempotency_key,
                if_match=if_match,
            ),
            a.ValuesAnswer,
        )

    def begin_trial(
        self,
        *,
        model: str | Omit | None = OMIT,
        settings: Mapping[str, Any] | Omit = OMIT,
        chunks: int | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """Extract a sample of chunks with another model or other settings, in a job; the graph is not changed.

        409 trial_running, 422 nothing_to_try, model_not_offered, not_triable.

        model: One of CITEGRAPH_LLM_MODELS, or `rules`; null: the space's own.
        settings: Changed settings, of: claim_check, claim_check_model, extra_node_types, extra_relation_types, gleanings, min_confidence, open_relations, specific_relations, statements, turns_before.
        chunks: Chunks of the sample.
        """
        return self._send(
            Call(
                "POST",
                "/trials",
                body={"model": model, "settings": settings, "chunks": chunks},
                key=idempotency_key,
            ),
            a.JobAnswer,
        )

    def list_trials(
        self,
    ) -> a.TrialsAnswer:
        """List the space's trials, newest first, at most 50."""
        return self._send(Call("GET", "/trials"), a.TrialsAnswer)

    def read_trial(
        self,
        trial_id: UUID | str,
    ) -> a.TrialReportAnswer:
        """Compare the trial with the graph: claims that it adds, loses and types differently, cost and speed.
        404.
        """
        return self._send(Call("GET", f"/trials/{trial_id}"), a.TrialReportAnswer)

    def drop_trial(
        self,
        trial_id: UUID | str,
    ) -> None:
        """Remove the trial's results; a running trial is cancelled. 404."""
        self._perform(Call("DELETE", f"/trials/{trial_id}"))

    def promote_trial(
        self,
        trial_id: UUID | str,
        *,
        reread: bool | Omit = OMIT,
        force: bool | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> a.PromotionAnswer:
        """Give the space the trial's model and settings, and read its documents again with them in a job. With
        the gate that job fails with `worse_answers` if a golden question is answered worse, and changes nothing.
        404, 409 trial_unfinished, reread_running, not_evaluated, 422 model_not_offered.

        reread: Whether to read documents again that another model or prompt has read.
        force: Whether to skip the gate of the golden questions (`golden_gate`).
        """
        return self._send(
            Call(
                "POST",
                f"/trials/{trial_id}/promote",
                query={"reread": reread, "force": force},
                key=idempotency_key,
            ),
            a.PromotionAnswer,
        )

    def add_golden_questions(
        self,
        questions: Sequence[b.GoldenQuestionBody],
        *,
        idempotency_key: str | None = None,
    ) -> a.GoldenAddedAnswer:
        """Add golden questions, or change the expected results of those with the same words. 422
        bad_golden_question, too_many_golden_questions.
        """
        return self._send(
            Call("POST", "/golden/questions", body={"questions": questions}, key=idempotency_key),
            a.GoldenAddedAnswer,
        )

    def list_golden_questions(
        self,
    ) -> a.GoldenQuestionsAnswer:
        """List the space's golden questions, oldest first, at most 1,000."""
        return self._send(Call("GET", "/golden/questions"), a.GoldenQuestionsAnswer)

    def remove_golden_question(
        self,
        question_id: UUID | str,
    ) -> None:
        """Remove a golden question and its outcomes in all runs. 404."""
        self._perform(Call("DELETE", f"/golden/questions/{question_id}"))

    def begin_golden_run(
        self,
        *,
        settings: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> a.JobAnswer:
        """Ask all golden questions in a job, with the settings of the space or with others for this run alone.

        409 run_under_way, 422 no_golden_question, not_tried_by_questions.

        settings: Changed settings, of: anchor_similarity, context_tokens, fact_confirmed_weight, fact_decay, fact_grace_days, fact_source_weights, fact_usage_boost, fan_out, hybrid_weights, max_facts, promotion_threshold, similar_anchors, single_valued_relations, statement_weight, verify_sentences.
        """
        return self._send(
            Call("POST", "/golden/runs", body={"settings": settings}, key=idempotency_key), a.JobAnswer
        )

    def list_golden_runs(
        self,
    ) -> a.GoldenRunsAnswer:
        """List the space's runs, newest first, at most 100."""
        return self._send(Call("GET", "/golden/runs"), a.GoldenRunsAnswer)

    def read_golden_run(
        self,
        golden_run_id: UUID | str,
        *,
        against: UUID | str | Omit | None = OMIT,
    ) -> a.GoldenReportAnswer:
        """Return the outcomes of a run by question, and which answers are worse or better. 404.

        against: The run to compare with; by default the previous one with the space's own settings.
        """
        return self._send(
            Call("GET", f"/golden/runs/{golden_run_id}", query={"against": against}), a.GoldenReportAnswer
        )


class ClientMethods(Caller):
    """All that belongs to no space: the tenant's own things, and the operator's."""

    def read_health(
        self,
    ) -> a.Health:
        """Report that the process is alive; nothing else is checked."""
        return self._send(Call("GET", "/healthz"), a.Health)

    def read_readiness(
        self,
    ) -> a.Readiness:
        """Report that the database is reachable, has this version's schema and row-level security; otherwise 503
        with the reason. The result is at most one second old.
        """
        return self._send(Call("GET", "/readyz"), a.Readiness)

    def create_tenant(
        self,
        name: str,
        *,
        idempotency_key: str | None = None,
    ) -> a.NewTenantAnswer:
        """Create a tenant and a first key that has all scopes in it. 409 name_taken."""
        return self._send(
            Call("POST", "/v1/tenants", body={"name": name}, key=idempotency_key), a.NewTenantAnswer
        )

    def list_tenants(
        self,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.TenantAnswer, a.TenantPage]:
        """List all tenants, oldest first.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self, Call("GET", "/v1/tenants", query={"limit": page_size, "cursor": cursor}), a.TenantPage
        )

    def change_tenant(
        self,
        tenant_id: UUID | str,
        *,
        name: str | Omit | None = OMIT,
        budget_usd: float | Omit | None = OMIT,
        quotas: b.QuotaBody | Omit | None = OMIT,
    ) -> a.TenantAnswer:
        """Change the tenant's name, budget or quotas. 404, 409 name_taken.

        What exceeds a new quota stays, but nothing can be added. Jobs that waited for budget or tokens continue.

        budget_usd: US dollars a month for model calls; null removes the budget.
        """
        return self._send(
            Call(
                "PATCH",
                f"/v1/tenants/{tenant_id}",
                body={"name": name, "budget_usd": budget_usd, "quotas": quotas},
            ),
            a.TenantAnswer,
        )

    def delete_tenant(
        self,
        tenant_id: UUID | str,
    ) -> a.DeletionAnswer:
        """Erase a tenant with all that it owns, except for one audit row. 404.

        202 for a tenant with many rows or spaces: its keys are revoked and it can no longer be found, and workers
        remove its rows.
        """
        return self._send(Call("DELETE", f"/v1/tenants/{tenant_id}"), a.DeletionAnswer)

    def read_deletion(
        self,
        tenant_id: UUID | str,
    ) -> a.DeletionAnswer:
        """Return the receipt of a tenant's erasure from the platform's audit log. 404 also if the tenant exists.

        While workers remove its rows, the state is `deleting`, and `rows` has the rows removed so far.
        """
        return self._send(Call("GET", f"/v1/tenants/{tenant_id}/deletion"), a.DeletionAnswer)

    def read_own_tenant(
        self,
    ) -> a.OwnTenantAnswer:
        """Return the key's own tenant. 404 after it has been erased."""
        return self._send(Call("GET", "/v1/tenant"), a.OwnTenantAnswer)

    def create_key(
        self,
        name: str,
        scopes: Sequence[Literal["read", "write", "admin"]],
        *,
        space_ids: Sequence[UUID | str] | Omit | None = OMIT,
        expires_at: dt.datetime | str | Omit | None = OMIT,
        idempotency_key: str | None = None,
    ) -> a.NewKeyAnswer:
        """Create a key; its token is shown only this once. It cannot exceed the caller's key in scopes, spaces or
        expiry.

        403 scope_missing, 404 for a space that the tenant does not have, 422 expires_too_late.

        space_ids: The only spaces that it may open; null means all.
        expires_at: The default is the expiry of the key that creates it, if it has one.
        """
        return self._send(
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
    ) -> Pages[a.KeyAnswer, a.KeyPage]:
        """List the tenant's keys, oldest first, including revoked ones.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self, Call("GET", "/v1/api-keys", query={"limit": page_size, "cursor": cursor}), a.KeyPage
        )

    def revoke_key(
        self,
        key_id: UUID | str,
    ) -> None:
        """Revoke a key at once. 404 also if it was revoked before."""
        self._perform(Call("DELETE", f"/v1/api-keys/{key_id}"))

    def list_usage(
        self,
        *,
        days: int | Omit = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.UsageAnswer, a.UsagePage]:
        """List the usage of the spaces that the key reaches, newest day first.

        days: Number of days, including today.
        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self,
            Call("GET", "/v1/usage", query={"days": days, "limit": page_size, "cursor": cursor}),
            a.UsagePage,
        )

    def list_quotas(
        self,
    ) -> list[a.QuotaAnswer]:
        """List the tenant's quotas, and how much of each all its spaces use."""
        return self._send(Call("GET", "/v1/quotas"), list[a.QuotaAnswer])

    def list_audit(
        self,
        *,
        actor: str | Omit | None = OMIT,
        action: str | Omit | None = OMIT,
        space_id: UUID | str | Omit | None = OMIT,
        object_id: UUID | str | Omit | None = OMIT,
        outcome: b.Outcome | Omit | None = OMIT,
        since: dt.datetime | str | Omit | None = OMIT,
        until: dt.datetime | str | Omit | None = OMIT,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.AuditAnswer, a.AuditPage]:
        """List who did what in the tenant, newest first.

        actor: The actor, as an exact match.
        action: An action, or the first part of several, such as node.
        space_id: Only actions in this space.
        object_id: The id of any object of the action.
        outcome: done or refused.
        since: At this time or later.
        until: Before this time.
        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self,
            Call(
                "GET",
                "/v1/audit",
                query={
                    "actor": actor,
                    "action": action,
                    "space_id": space_id,
                    "object_id": object_id,
                    "outcome": outcome,
                    "since": since,
                    "until": until,
                    "limit": page_size,
                    "cursor": cursor,
                },
            ),
            a.AuditPage,
        )

    def download_audit(
        self,
        *,
        actor: str | Omit | None = OMIT,
        action: str | Omit | None = OMIT,
        space_id: UUID | str | Omit | None = OMIT,
        object_id: UUID | str | Omit | None = OMIT,
        outcome: b.Outcome | Omit | None = OMIT,
        since: dt.datetime | str | Omit | None = OMIT,
        until: dt.datetime | str | Omit | None = OMIT,
    ) -> str:
        """Return the newest 10,000 entries as CSV without spreadsheet formulas; use `until` for older ones.

        actor: The actor, as an exact match.
        action: An action, or the first part of several, such as node.
        space_id: Only actions in this space.
        object_id: The id of any object of the action.
        outcome: done or refused.
        since: At this time or later.
        until: Before this time.
        """
        return self._read_text(
            Call(
                "GET",
                "/v1/audit.csv",
                query={
                    "actor": actor,
                    "action": action,
                    "space_id": space_id,
                    "object_id": object_id,
                    "outcome": outcome,
                    "since": since,
                    "until": until,
                },
            )
        )

    def create_space(
        self,
        name: str,
        *,
        description: str | Omit = OMIT,
        settings: b.SpaceSettingsBody | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> a.SpaceAnswer:
        """Create an empty space. 409 name_taken, 422 model_not_offered."""
        return self._send(
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
    ) -> Pages[a.SpaceAnswer, a.SpacePage]:
        """List the tenant's spaces that the key may open, oldest first.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self, Call("GET", "/v1/spaces", query={"limit": page_size, "cursor": cursor}), a.SpacePage
        )

    def add_webhook(
        self,
        url: str,
        events: Sequence[Literal["job.done", "job.failed", "budget.reached", "conflict.found"]],
        *,
        idempotency_key: str | None = None,
    ) -> a.NewWebhookAnswer:
        """Add a webhook; its secret is shown only this once. 422 webhook_address_refused, 429 quota_exceeded.

        url: An https address that resolves to public IP addresses only.
        """
        return self._send(
            Call("POST", "/v1/webhooks", body={"url": url, "events": events}, key=idempotency_key),
            a.NewWebhookAnswer,
        )

    def list_webhooks(
        self,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.WebhookAnswer, a.WebhookPage]:
        """List the tenant's webhooks, oldest first.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self, Call("GET", "/v1/webhooks", query={"limit": page_size, "cursor": cursor}), a.WebhookPage
        )

    def read_webhook(
        self,
        webhook_id: UUID | str,
    ) -> a.WebhookAnswer:
        """Return the webhook. 404."""
        return self._send(Call("GET", f"/v1/webhooks/{webhook_id}"), a.WebhookAnswer)

    def change_webhook(
        self,
        webhook_id: UUID | str,
        enabled: bool,
        *,
        if_match: str | None = None,
    ) -> a.WebhookAnswer:
        """Enable or disable the webhook; messages that wait for it are sent once it is enabled. 404.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call("PATCH", f"/v1/webhooks/{webhook_id}", body={"enabled": enabled}, if_match=if_match),
            a.WebhookAnswer,
        )

    def remove_webhook(
        self,
        webhook_id: UUID | str,
        *,
        if_match: str | None = None,
    ) -> None:
        """Remove the webhook with its messages. 404.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        self._perform(Call("DELETE", f"/v1/webhooks/{webhook_id}", if_match=if_match))

    def rotate_secret(
        self,
        webhook_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.NewWebhookAnswer:
        """Give the webhook a new secret, shown only this once; for a day messages are signed with both. 404.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call("POST", f"/v1/webhooks/{webhook_id}/rotate", key=idempotency_key, if_match=if_match),
            a.NewWebhookAnswer,
        )

    def send_test(
        self,
        webhook_id: UUID | str,
        *,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> a.DeliveryAnswer:
        """Have a worker send a message of the event `test` at once. 404, 409 webhook_disabled, webhook_full.

        if_match: The `etag` of what you read: where it has changed since, Stale is raised.
        """
        return self._send(
            Call("POST", f"/v1/webhooks/{webhook_id}/test", key=idempotency_key, if_match=if_match),
            a.DeliveryAnswer,
        )

    def list_deliveries(
        self,
        webhook_id: UUID | str,
        *,
        page_size: int | Omit = OMIT,
        cursor: str | Omit | None = OMIT,
    ) -> Pages[a.DeliveryAnswer, a.DeliveryPage]:
        """List the webhook's messages of the last 30 days, newest first. 404.

        cursor: next_cursor of the previous page.
        page_size: How many one request fetches; all pages are read as you go on.
        """
        return Pages(
            self,
            Call(
                "GET", f"/v1/webhooks/{webhook_id}/deliveries", query={"limit": page_size, "cursor": cursor}
            ),
            a.DeliveryPage,
        )

    def replay(
        self,
        webhook_id: UUID | str,
        delivery_id: UUID | str,
        *,
        idempotency_key: str | None = None,
    ) -> a.DeliveryAnswer:
        """Send the message again under the same id. 404, 409 webhook_disabled, delivery_pending."""
        return self._send(
            Call("POST", f"/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay", key=idempotency_key),
            a.DeliveryAnswer,
        )
