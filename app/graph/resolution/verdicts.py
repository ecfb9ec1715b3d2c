"""Verdicts "not the same": which names, and so which nodes, must stay apart. Pure."""

from collections import defaultdict
from collections.abc import Iterable

from app.graph.names import normalise_name
from app.graph.resolution.shapes import NameAndType, StoredVerdict, sort_pair

NameSet = frozenset[NameAndType]


class Verdicts:
    """The verdicts on pairs of names.

    A name identifies; its type counts only if both names are equal, because types are voted and may change,
    and a verdict must outlive that.
    """

    def __init__(self, verdicts: Iterable[StoredVerdict] = ()) -> None:
        self._verdicts_by_names: dict[tuple[str, str], list[StoredVerdict]] = defaultdict(list)
        self._names: set[str] = set()
        for verdict in verdicts:
            self._verdicts_by_names[(verdict.a.name, verdict.b.name)].append(verdict)
            if not verdict.same:
                self._names |= {verdict.a.name, verdict.b.name}

    def __bool__(self) -> bool:
        """Return whether any verdict says "not the same"."""
        return bool(self._names)

    def is_any_name_in_not_same_verdict(self, names: Iterable[str]) -> bool:
        """Return whether a verdict "not the same" contains any of these normalised names."""
        return not self._names.isdisjoint(names)

    def find_verdict(self, names: NameSet, other_names: NameSet) -> bool | None:
        """Return whether nodes with these names and types are the same; None without a verdict.

        "Not the same" outweighs "same", and a person's verdict outweighs all others.
        """
        verdicts = [
            verdict
            for name in names
            for other_name in other_names
            for verdict in self._verdicts_by_names.get(_sort_names_of_pair(name, other_name), ())
            if name.name != other_name.name or (verdict.a, verdict.b) == sort_pair(name, other_name)
        ]
        if not verdicts:
            return None
        persons_verdicts = [verdict for verdict in verdicts if verdict.by_person]
        return all(verdict.same for verdict in persons_verdicts or verdicts)

    def must_stay_apart(self, names: NameSet, other_names: NameSet) -> bool:
        """Return whether nodes with these names and types must not be merged."""
        return self.find_verdict(names, other_names) is False


def normalise_names_for_verdicts(node_type: str, *names: str) -> NameSet:
    """Return the names as verdicts store them: normalised, with the type of their node."""
    return frozenset(NameAndType(normalise_name(name), node_type) for name in names)


def _sort_names_of_pair(name: NameAndType, other_name: NameAndType) -> tuple[str, str]:
    left, right = sort_pair(name, other_name)
    return left.name, right.name
