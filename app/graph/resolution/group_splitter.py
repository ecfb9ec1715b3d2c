"""Divide groups in which a verdict keeps two members apart. Pure.

A name that both sides have does not decide: a candidate goes to the side of its own type, else to the one
that more chunks mention. A name that belongs to the other side is not its alias (docs/decisions: merges are
remembered and can be undone).
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from app.graph.names import normalise_name
from app.graph.resolution.entity_resolver import (
    Candidate,
    CandidateGroup,
    KnownNode,
    ResolvedNode,
    build_identity_key,
)
from app.graph.resolution.shapes import NameAndType
from app.graph.resolution.verdicts import Verdicts


@dataclass(slots=True, eq=False)
class _Side:
    """One of the entities into which a group is divided."""

    node_type: str
    rank: tuple[int, str, str]
    keys: set[Hashable] = field(default_factory=set)
    names: set[NameAndType] = field(default_factory=set)
    nodes: list[KnownNode] = field(default_factory=list)
    forms: list[tuple["_Form", frozenset[str]]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Form:
    """Candidates with identical names, type and keys."""

    own_name: str
    node_type: str
    names: tuple[str, ...]
    sure_keys: tuple[str, ...]


def does_verdict_divide_group(
    group: CandidateGroup, candidates: Sequence[Candidate], verdicts: Verdicts
) -> bool:
    """Return whether a verdict keeps two names of the group apart."""
    names: set[NameAndType] = set()
    for index in group.candidate_indices:
        names |= {
            NameAndType(name, candidates[index].entity.node_type) for name in candidates[index].full_names()
        }
    for node in _list_all_nodes_by_mentions(group):
        names |= {NameAndType(name, node.node_type) for name in node.full_names()}
    if not verdicts.is_any_name_in_not_same_verdict(name for name, _ in names):
        return False
    return verdicts.must_stay_apart(frozenset(names), frozenset(names))


def split_by_verdicts(
    group: CandidateGroup, candidates: Sequence[Candidate], verdicts: Verdicts, *, separates_homonyms: bool
) -> list[ResolvedNode]:
    """Divide the group so that no two names kept apart by a verdict belong to one node.

    With `separates_homonyms` a name counts only together with its type.
    """

    def build_key(name: str, node_type: str) -> Hashable:
        return build_identity_key(name, node_type, separates_homonyms=separates_homonyms)

    sides = [
        _Side(
            node.node_type,
            (-node.mention_count, node.canonical_name, node.node_type),
            {
                key
                for key, nodes_of_key in group.nodes_by_key.items()
                if any(holder.id == node.id for holder in nodes_of_key)
            }
            | {build_key(name, node.node_type) for name in node.full_names()},
            {NameAndType(name, node.node_type) for name in node.full_names()},
            [node],
        )
        for node in _list_all_nodes_by_mentions(group)
    ]
    indices_by_form: dict[_Form, list[int]] = {}
    for index in group.candidate_indices:
        indices_by_form.setdefault(_build_name_form(candidates[index]), []).append(index)
    waiting_forms = sorted(
        indices_by_form, key=lambda form: (form.own_name, form.node_type, form.names, form.sure_keys)
    )
    while waiting_forms:
        unassigned_forms = [
            form for form in waiting_forms if not _try_to_assign_form(form, sides, verdicts, build_key)
        ]
        if len(unassigned_forms) == len(waiting_forms):
            # No existing side has any of their names: the first form starts a new side, which others may
            # join.
            new_side = _Side(
                unassigned_forms[0].node_type,
                (0, unassigned_forms[0].own_name, unassigned_forms[0].node_type),
            )
            new_side.keys.add(build_key(unassigned_forms[0].own_name, unassigned_forms[0].node_type))
            new_side.names.add(NameAndType(unassigned_forms[0].own_name, unassigned_forms[0].node_type))
            sides.append(new_side)
        waiting_forms = unassigned_forms
    resolved_nodes = []
    for side in sides:
        if not side.forms:
            continue
        resolved_node = ResolvedNode()
        for form, dropped_names in side.forms:
            for index in indices_by_form[form]:
                resolved_node.add_candidate(index, candidates[index], dropped_names=dropped_names)
        resolved_node.absorb_nodes(side.nodes, {})
        resolved_nodes.append(resolved_node)
    return resolved_nodes


def _list_all_nodes_by_mentions(group: CandidateGroup) -> list[KnownNode]:
    nodes = dict(group.nodes)
    for nodes_of_key in group.nodes_by_key.values():
        nodes |= {node.id: node for node in nodes_of_key}
    return sorted(nodes.values(), key=lambda node: (-node.mention_count, node.canonical_name, node.node_type))


def _build_name_form(candidate: Candidate) -> _Form:
    names = candidate.full_names()
    return _Form(
        normalise_name(candidate.entity.name),
        candidate.entity.node_type,
        tuple(sorted(names)),
        tuple(sorted(candidate.list_sure_spelling_keys(names.values()))),
    )


def _choose_best_side(sides: Iterable[_Side], node_type: str) -> _Side | None:
    return min(sides, key=lambda side: (side.node_type != node_type, side.rank), default=None)


def _find_side_with_name_of_form(
    form: _Form, sides: Sequence[_Side], verdicts: Verdicts, own_key: Hashable, keys: Sequence[Hashable]
) -> _Side | None:
    """Return the side that has the form's own name, else one that has another of its names.

    The latter must not be kept apart from the form by a verdict.
    """
    side = _choose_best_side(
        (known_side for known_side in sides if own_key in known_side.keys), form.node_type
    )
    if side is not None:
        return side
    form_name = frozenset({NameAndType(form.own_name, form.node_type)})
    sharing_sides = (known_side for known_side in sides if not known_side.keys.isdisjoint(keys))
    return _choose_best_side(
        (
            known_side
            for known_side in sharing_sides
            if not verdicts.must_stay_apart(frozenset(known_side.names), form_name)
        ),
        form.node_type,
    )


def _try_to_assign_form(
    form: _Form, sides: list[_Side], verdicts: Verdicts, build_key: Callable[[str, str], Hashable]
) -> bool:
    """Assign the form to the side that has its name; return False if no side has any of its names."""
    name_by_key = {build_key(name, form.node_type): name for name in form.names}
    all_keys: list[Hashable] = [*name_by_key, *(("sure", sure_key) for sure_key in form.sure_keys)]
    side = _find_side_with_name_of_form(
        form, sides, verdicts, build_key(form.own_name, form.node_type), all_keys
    )
    if side is None:
        return False
    dropped_names = set()
    for key in all_keys:
        if key in side.keys:
            continue
        name = name_by_key.get(key)
        own_names = frozenset(side.names | {NameAndType(form.own_name, form.node_type)})
        other_side = _choose_best_side(
            (known_side for known_side in sides if key in known_side.keys), form.node_type
        )
        other_names = frozenset(other_side.names if other_side else ()) | (
            frozenset({NameAndType(name, form.node_type)})
            if name is not None and name != form.own_name
            else frozenset()
        )
        if verdicts.must_stay_apart(own_names, other_names):
            if name is not None:
                dropped_names.add(name)
            continue
        if other_side is not None:
            _join_sides(side, other_side)
            sides.remove(other_side)
        side.keys.add(key)
        if name is not None:
            side.names.add(NameAndType(name, form.node_type))
    side.forms.append((form, frozenset(dropped_names)))
    return True


def _join_sides(side: _Side, other_side: _Side) -> None:
    side.keys |= other_side.keys
    side.names |= other_side.names
    side.nodes += other_side.nodes
    side.forms += other_side.forms
    side.rank = min(side.rank, other_side.rank)
