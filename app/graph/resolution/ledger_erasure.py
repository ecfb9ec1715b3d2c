"""Erase what deleted chunks contributed from a row of the ledger of merges. Pure."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from typing import Any
from uuid import UUID

from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import choose_canonical_name
from app.graph.resolution.unmerge_plan import LedgerRow, Mention, list_aliases

NO_NAME = ""
"""The name of a loser none of whose names is left."""


def erase_chunks_from_row(
    row: LedgerRow, chunk_ids: Collection[UUID], names_of_existing_nodes: Collection[str]
) -> LedgerRow:
    """Return the row without the mentions of these chunks and without names that nothing gives any more.

    A name is given by a remaining mention or by an existing node; `names_of_existing_nodes` are the
    normalised names of the latter.
    """
    loser_mentions = _remove_mentions_of_chunks(row.loser_mentions, chunk_ids)
    winner_mentions = _remove_mentions_of_chunks(row.winner_mentions, chunk_ids)
    mentioned_names = {
        normalise_name(text)
        for mention in loser_mentions.values()
        for text in (mention.name, mention.surface)
    }
    remaining_names = mentioned_names | set(names_of_existing_nodes)
    loser_names = {
        loser_name: name_row
        for loser_name, name_row in row.loser_names.items()
        if loser_mentions and loser_name in remaining_names
    }
    name_votes = Counter(mention.name for mention in loser_mentions.values())
    type_votes = Counter(
        mention.node_type for mention in loser_mentions.values() if mention.node_type is not None
    )
    sense_votes = Counter(mention.sense for mention in loser_mentions.values() if mention.sense is not None)
    loser_name = _keep_or_choose_loser_name(row, loser_names, name_votes)
    loser_record: dict[str, Any] = dict(row.loser_record)
    loser_record["metadata"] = {
        "aliases": list_aliases(loser_names, loser_name),
        "nameVotes": dict(name_votes),
        "typeVotes": dict(type_votes),
        **(
            {"sense": row.loser_record["metadata"].get("sense", ""), "senseVotes": dict(sense_votes)}
            if sense_votes
            else {}
        ),
        **(
            {"firstSeenChunkId": first_seen}
            if (first_seen := row.loser_record["metadata"].get("firstSeenChunkId"))
            else {}
        ),
    }
    loser_record["tags"] = [] if loser_name == NO_NAME else _list_tags_set_by_persons(row)
    winner_record = {
        **row.winner_record,
        "canonical_name": _find_remaining_name_of_winner(row, winner_mentions, names_of_existing_nodes),
    }
    return replace(
        row,
        loser_name=loser_name,
        loser_record=loser_record,
        winner_record=winner_record,
        loser_names=loser_names,
        winner_names={
            winner_name: name_row
            for winner_name, name_row in row.winner_names.items()
            if winner_name in names_of_existing_nodes
        },
        loser_mentions=loser_mentions,
        winner_mentions=winner_mentions,
        loops=[edge for edge in row.loops if not _is_edge_from_chunks(edge, chunk_ids)],
    )


def _find_remaining_name_of_winner(
    row: LedgerRow, winner_mentions: dict[UUID, Mention], names_of_existing_nodes: Collection[str]
) -> str:
    """Return the winner's former name if an existing node has it, else that of the remaining mentions."""
    name: str = row.winner_record["canonical_name"]
    if normalise_name(name) in names_of_existing_nodes:
        return name
    remaining_names = Counter(mention.name for mention in winner_mentions.values())
    return choose_canonical_name(remaining_names) if remaining_names else NO_NAME


def _list_tags_set_by_persons(row: LedgerRow) -> list[list[Any]]:
    """Return the loser's tags without suggested ones, which may rest on deleted text."""
    return [tag for tag in row.loser_record.get("tags", []) if tag[2] == "person"]


def _is_edge_from_chunks(edge: dict[str, Any], chunk_ids: Collection[UUID]) -> bool:
    return edge.get("evidence_chunk_id") is not None and UUID(str(edge["evidence_chunk_id"])) in chunk_ids


def _remove_mentions_of_chunks(
    mentions: dict[UUID, Mention], chunk_ids: Collection[UUID]
) -> dict[UUID, Mention]:
    return {chunk_id: mention for chunk_id, mention in mentions.items() if chunk_id not in chunk_ids}


def _keep_or_choose_loser_name(row: LedgerRow, names: Collection[str], votes: Counter[str]) -> str:
    if normalise_name(row.loser_name) in names:
        return row.loser_name
    return choose_canonical_name(votes) if votes else NO_NAME
