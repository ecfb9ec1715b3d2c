"""Which names chunks tie into one node, and which come free when such a chunk goes. Pure.

Names are tied if one chunk gives them to one thing, or if they have a sure spelling key in common under the
types that chunks show. When chunks go, what only they tied is no longer one thing.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import NamedTuple

from app.graph.names import normalise_name
from app.graph.resolution.disjoint_sets import DisjointSets
from app.graph.resolution.name_similarity import list_sure_spelling_keys


class NameTie(NamedTuple):
    """The names that one chunk gives to one thing, as written, and its type, if the chunk shows it."""

    node_type: str | None
    names: tuple[str, ...]


def map_names_to_tied_groups(ties: Iterable[NameTie]) -> dict[str, Hashable]:
    """Map each normalised name to its part: names in one part are tied, directly or by others."""
    disjoint_sets = DisjointSets()
    names: set[str] = set()
    for tie in set(ties):
        for written_name in tie.names:
            name = normalise_name(written_name)
            names.add(name)
            disjoint_sets.join_sets(name, normalise_name(tie.names[0]))
            for key in list_sure_spelling_keys(written_name, tie.node_type):
                disjoint_sets.join_sets(("key", key), name)
    return {name: disjoint_sets.find_representative(name) for name in names}


def find_names_no_longer_tied(
    names: Collection[str],
    canonical_name: str,
    votes: Mapping[str, int],
    *,
    removed_ties: Iterable[NameTie],
    remaining_ties: Iterable[NameTie],
) -> set[str]:
    """Return the normalised names of a node that only the removed ties tied to its other names.

    Of names that part, those stay that are tied to the canonical name, else those with the most votes. Names
    of which neither removed nor remaining ties say anything stay.
    """
    remaining_ties = list(remaining_ties)
    parts_before = map_names_to_tied_groups([*removed_ties, *remaining_ties])
    parts_after = map_names_to_tied_groups(remaining_ties)
    components_by_part: dict[Hashable, dict[Hashable, set[str]]] = defaultdict(lambda: defaultdict(set))
    for name in names:
        if name in parts_before:
            components_by_part[parts_before[name]][parts_after.get(name, name)].add(name)
    votes_by_name: Counter[str] = Counter()
    for written_name, count in votes.items():
        votes_by_name[normalise_name(written_name)] += count
    normalised_canonical = normalise_name(canonical_name)
    freed_names: set[str] = set()
    for components in components_by_part.values():
        largest_component = max(
            components.values(),
            key=lambda component: (
                normalised_canonical in component,
                sum(votes_by_name[name] for name in component),
                sorted(component),
            ),
        )
        freed_names |= {
            name
            for component in components.values()
            if component is not largest_component
            for name in component
        }
    return freed_names
