"""Rules about tags: search by prefix with counts, and setting them for a node (requirement 11.2)."""

from collections.abc import Sequence
from datetime import datetime

from app.db.session import SpaceSession
from app.errors import InvalidInput, NotFound
from app.graph import input_checks
from app.graph.shapes import Node
from app.graph.tags import repository as tags_repository
from app.graph.tags.repository import list_tags_of_node
from app.graph.tags.suggestions import TagCount, Tagging
from app.graph.tags.tag_choice import MIN_PREFIX_LENGTH, choose_tags, normalise_tag
from app.ids import NodeId
from app.limits import PAGE, TAG_CANDIDATES
from app.tenancy.audit import service as audit
from app.tenancy.audit.origin import get_current_origin
from app.tenancy.spaces import service as spaces

__all__ = ["list_tags_of_node"]

_MAX_MATCHES = 1_000


def find_tags(space: SpaceSession, *, prefix: str = "", limit: int = 50) -> list[TagCount]:
    """Return the tags with this prefix, the most used first; all for an empty prefix."""
    input_checks.check_range("limit", limit, 1, PAGE.maximum)
    tag_prefix = normalise_tag(prefix)
    if prefix.strip() and not tag_prefix:
        return []
    return tags_repository.find_tags(space, [tag_prefix], limit=limit)


def find_last_tagging_by_person(node: Node) -> Tagging | None:
    """Return who set the node's tags last, and the tags before that; None if no person did."""
    tagging_entry = node.metadata.get("tagged")
    if not tagging_entry:
        return None
    return Tagging(
        tagging_entry["by"], datetime.fromisoformat(tagging_entry["at"]), tuple(tagging_entry["before"])
    )


def choose_and_set_tags(space: SpaceSession, node_id: NodeId, candidates: Sequence[str]) -> list[str]:
    """Set the node's tags to these candidates, up to the space's limit, reusing existing tags; return them.

    The node's own previous tags count as existing only if other nodes have them too. Raises NotFound,
    InvalidInput for more than 100 candidates.
    """
    if len(candidates) > TAG_CANDIDATES.maximum:
        raise InvalidInput(f"At most {TAG_CANDIDATES.maximum} tags can be given.", code="too_many_tags")
    # Without the lock, an ingest that has read the node could write back older metadata.
    spaces.lock_graph_and_increment_revision(space)
    if not tags_repository.lock_existing_nodes(space, [node_id]):
        raise NotFound("node")
    tags_repository.record_tagging_by_person(space, node_id, actor=get_current_origin().actor)
    tags_repository.replace_tags(space, node_id, [])
    prefixes = [tag for tag in map(normalise_tag, candidates) if len(tag) >= MIN_PREFIX_LENGTH]
    existing_counts = dict(tags_repository.find_tags(space, prefixes, limit=_MAX_MATCHES)) if prefixes else {}
    tags = choose_tags(candidates, existing_counts, max_tags=space.settings.max_tags)
    tags_repository.replace_tags(space, node_id, tags)
    audit.record(space, "node.tags", target=node_id, details={"tags": len(tags)})
    return tags
