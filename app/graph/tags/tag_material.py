"""The material from which tags are suggested, and the application of suggestions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from app.db.session import SpaceSession
from app.errors import NotFound
from app.graph import input_checks, repository
from app.graph.tags import repository as tags_repository
from app.graph.tags.suggestions import Origin, SpaceFact, Suggestion, TagMaterial
from app.graph.tags.tag_choice import choose_tags
from app.ids import ChunkId, NodeId
from app.limits import PAGE

MAX_FACTS_PER_DIRECTION = 12
"""Maximum number of strongest claims per direction in the material of a node."""
MAX_SAMPLED_FACTS = 1_000
MAX_KNOWN_TAGS = 1_000
"""Number of the space's most used tags with which a candidate is compared."""


def build_tag_material_of_nodes(
    space: SpaceSession, node_ids: Sequence[NodeId] | None = None, *, limit: int = 50
) -> list[TagMaterial]:
    """Return the tag material of these nodes, in order, or of the most mentioned; three statements in all.

    Raises NotFound if one of them does not exist, InvalidInput for more than 200.
    """
    if node_ids is None:
        input_checks.check_range("limit", limit, 1, PAGE.maximum)
        nodes = repository.list_nodes(space, limit=limit)
    else:
        distinct_ids = list(dict.fromkeys(node_ids))
        input_checks.check_range("node_ids", len(distinct_ids), 1, PAGE.maximum)
        nodes_by_id = {node.id: node for node in repository.get_nodes(space, distinct_ids)}
        if len(nodes_by_id) < len(distinct_ids):
            raise NotFound("node")
        nodes = [nodes_by_id[node_id] for node_id in distinct_ids]
    shown_node_ids = [node.id for node in nodes]
    facts_by_node = tags_repository.list_strongest_facts_of_nodes(
        space, shown_node_ids, max_per_direction=MAX_FACTS_PER_DIRECTION
    )
    tags_by_node = tags_repository.get_tags_of_nodes(space, shown_node_ids)
    return [
        TagMaterial(
            node.id,
            node.canonical_name,
            node.node_type,
            node.aliases,
            tuple(facts_by_node.get(node.id, ())),
            tuple(tags_by_node.get(node.id, ())),
        )
        for node in nodes
    ]


def list_mentioned_nodes_with_claims(space: SpaceSession, chunk_ids: Sequence[ChunkId]) -> list[NodeId]:
    """Return the nodes that these chunks mention and that have claims."""
    return tags_repository.list_mentioned_nodes_with_claims(space, chunk_ids) if chunk_ids else []


def list_newest_facts(space: SpaceSession) -> list[SpaceFact]:
    """Return the space's newest 1,000 facts, for estimating how common a word is in it."""
    return tags_repository.list_newest_facts_of_space(space, limit=MAX_SAMPLED_FACTS)


class TagCandidates(NamedTuple):
    """Possible tags of a node, the most relevant first, and where they come from."""

    material: TagMaterial
    candidates: Sequence[str]
    origin: Origin


def choose_suggestions(space: SpaceSession, candidate_lists: Sequence[TagCandidates]) -> list[Suggestion]:
    """Choose tags from these candidates, up to the space's limit for each node, reusing existing ones by
    prefix.

    Tags chosen for one node count as existing for the following ones, so that one call uses the same tag for
    the same thing.
    """
    existing_counts = Counter(dict(tags_repository.find_tags(space, [""], limit=MAX_KNOWN_TAGS)))
    max_tags = space.settings.max_tags
    suggestions = []
    for material, candidates, origin in candidate_lists:
        chosen_tags = choose_tags(candidates, existing_counts, max_tags=max_tags)
        existing_counts.update(chosen_tags)
        suggestions.append(
            Suggestion(
                material.node_id,
                material.canonical_name,
                material.node_type,
                tuple(chosen_tags),
                origin,
                material.tags,
            )
        )
    return suggestions


def replace_suggested_tags(
    space: SpaceSession, suggestions: Sequence[Suggestion], *, overwrite: bool = False
) -> Mapping[NodeId, list[str]]:
    """Write suggested tags; return the resulting tags of each node that exists.

    Tags set by a person stay first, in their order, and are replaced only with `overwrite`. Suggested tags
    are added up to the space's limit, and replace earlier suggestions.
    """
    locked_ids = set(
        tags_repository.lock_existing_nodes(space, sorted({suggestion.node_id for suggestion in suggestions}))
    )
    locked_suggestions = [suggestion for suggestion in suggestions if suggestion.node_id in locked_ids]
    tagged_node_ids = [suggestion.node_id for suggestion in locked_suggestions]
    # Read under the lock: a person may have set tags since the suggestion was made.
    tags_by_node = tags_repository.get_tags_of_nodes(space, tagged_node_ids)
    tags_repository.delete_suggested_tags(space, tagged_node_ids, overwrite=overwrite)
    max_tags = space.settings.max_tags
    rows = []
    resulting_tags = {}
    for suggestion in locked_suggestions:
        persons_tags = [
            tag
            for tag, origin in tags_by_node.get(suggestion.node_id, ())
            if origin is Origin.PERSON and not overwrite
        ]
        added_tags = [tag for tag in suggestion.tags if tag not in persons_tags][
            : max(0, max_tags - len(persons_tags))
        ]
        rows += [
            tags_repository.SuggestedTagRow(suggestion.node_id, tag, position, suggestion.by.value)
            for position, tag in enumerate(added_tags, start=len(persons_tags))
        ]
        resulting_tags[suggestion.node_id] = [*persons_tags, *added_tags]
    tags_repository.insert_suggested_tags(space, rows)
    return resulting_tags
