"""Compare a database's whole catalogue with the one that the migrations create; anything unknown is a fault.

`catalogue.json` beside this file is the catalogue of a freshly migrated database; `cluster_catalogue.json`
holds the differences of a distributed one. `make catalogue` writes both after each migration, and a test
checks that they are up to date.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from app.db.doctor.definition_comparison import is_same_definition
from app.db.doctor.inventory import CatalogueFact
from app.db.doctor.table_verdicts import TableVerdict
from app.db.roles import ROLES, WORD_SEARCH_FUNCTION
from app.db.vectors.partitions import get_partitioned_table_name, get_template_partition_name, parse_partition

Catalogue = Mapping[str, Mapping[str, str]]
"""Expected values by subject and aspect."""

KNOWN_EXTENSIONS = frozenset(
    [
        "amcheck",
        "btree_gin",
        "btree_gist",
        "citext",
        "citus",
        "citus_columnar",
        "fuzzystrmatch",
        "hstore",
        "intarray",
        "isn",
        "ltree",
        "pg_buffercache",
        "pg_freespacemap",
        "pg_hint_plan",
        "pg_prewarm",
        "pg_repack",
        "pg_stat_kcache",
        "pg_stat_statements",
        "pg_trgm",
        "pg_visibility",
        "pg_wait_sampling",
        "pgcrypto",
        "pgrowlocks",
        "pgstattuple",
        "plpgsql",
        "tablefunc",
        "tcn",
        "unaccent",
        "uuid-ossp",
        "vector",
    ]
)
"""Extensions that give no access to other tables, files or servers."""
_HOST_ROLE = re.compile(
    r"\b(rds|azure|azuresu|cloudsql|alloydb|supabase|neon|aiven|avnadmin|doadmin|_doroot)\w*\b"
)
"""Roles that Postgres hosts create for themselves."""
_MAX_SHOWN_CHARACTERS = 160


@dataclass(frozen=True)
class HostCircumstances:
    """Circumstances under which differences are judged.

    `owner` is the login that owns all tables on a host without roles, None if the roles exist.
    `trusted_objects` names subjects that the operator trusts.
    """

    owner: str | None = None
    trusted_objects: Collection[str] = ()


@cache
def load_expected_catalogue() -> Catalogue:
    """Return the catalogue that the newest migration creates."""
    catalogue: Catalogue = _load_json("catalogue.json")
    return catalogue


@cache
def load_cluster_catalogue() -> Catalogue:
    """Return the catalogue of the coordinator after `citegraph distribute`."""
    catalogue = {subject: dict(aspects) for subject, aspects in load_expected_catalogue().items()}
    for subject, changes in _load_json("cluster_catalogue.json").items():
        aspects = {**catalogue.pop(subject, {}), **changes}
        if remaining_aspects := {aspect: value for aspect, value in aspects.items() if value is not None}:
            catalogue[subject] = remaining_aspects
    return catalogue


def _load_json(name: str) -> Any:
    return json.loads(files("app.db.doctor").joinpath(name).read_text("utf-8"))


def compare_catalogue(
    expected_catalogue: Catalogue, facts: Collection[CatalogueFact], circumstances: HostCircumstances
) -> list[TableVerdict]:
    """Return a verdict on every subject of either side; each sentence says what differs and how to fix it."""
    facts_by_aspect = {(fact.subject, fact.aspect): fact for fact in facts}
    expected_catalogue = add_partitions_of_large_spaces(expected_catalogue, {fact.subject for fact in facts})
    problems: dict[str, list[str]] = {subject: [] for subject in expected_catalogue}
    warnings: dict[str, list[str]] = {subject: [] for subject in expected_catalogue}
    for (subject, aspect), fact in facts_by_aspect.items():
        expected_value = expected_catalogue.get(subject, {}).get(aspect)
        if (
            expected_value is not None and is_same_definition(fact.value, expected_value)
        ) or _is_expected_difference(fact, expected_value, circumstances):
            continue
        is_mild = _is_only_warning(fact, expected_value, circumstances)
        (warnings if is_mild else problems).setdefault(subject, []).append(
            _describe_unknown(fact) if expected_value is None else _describe_change(fact, expected_value)
        )
    for part in _list_missing_parts(expected_catalogue, facts_by_aspect, circumstances):
        problems[part.subject].append(part.describe())
    subjects = dict.fromkeys((*problems, *warnings))
    return [
        TableVerdict(subject, "catalogue", tuple(problems.get(subject, ())), tuple(warnings.get(subject, ())))
        for subject in subjects
    ]


@dataclass(frozen=True)
class MissingPart:
    """An object that the migrations create and the database lacks, or with an `aspect` a part of one."""

    subject: str
    aspect: str = ""
    expected_value: str = ""

    def describe(self) -> str:
        """Return a sentence about the subject, and how to repair it."""
        if not self.aspect:
            return f"is missing. {_describe_repair(self.subject, 'kind', '')}"
        repair = _describe_repair(self.subject, self.aspect, self.expected_value)
        return f"has lost {self.aspect} ({_shorten_value(self.expected_value)}). {repair}"


def list_parts_that_database_lacks(
    expected_catalogue: Catalogue, facts: Collection[CatalogueFact], circumstances: HostCircumstances
) -> list[MissingPart]:
    """Return what the migrations create and the database lacks."""
    facts_by_aspect = {(fact.subject, fact.aspect): fact for fact in facts}
    expected_catalogue = add_partitions_of_large_spaces(expected_catalogue, {fact.subject for fact in facts})
    return list(_list_missing_parts(expected_catalogue, facts_by_aspect, circumstances))


def _list_missing_parts(
    expected_catalogue: Catalogue,
    facts_by_aspect: Mapping[tuple[str, str], CatalogueFact],
    circumstances: HostCircumstances,
) -> Iterator[MissingPart]:
    existing_subjects = {subject for subject, _ in facts_by_aspect}
    for subject, aspects in expected_catalogue.items():
        if subject not in existing_subjects:
            if not _may_be_missing(subject, "", circumstances):
                yield MissingPart(subject)
            continue
        for aspect, expected_value in aspects.items():
            if (subject, aspect) not in facts_by_aspect and not _may_be_missing(
                subject, aspect, circumstances
            ):
                yield MissingPart(subject, aspect, expected_value)


def add_partitions_of_large_spaces(expected_catalogue: Catalogue, subjects: Collection[str]) -> Catalogue:
    """Return the expected catalogue with the partitions of large spaces, each like its pattern partition.

    A partition is bound only to the space in its name.
    """
    catalogue = dict(expected_catalogue)
    for subject in subjects:
        partition = parse_partition(subject)
        if partition is None:
            continue
        table, space_id = partition
        pattern_partition, dedicated_table = (
            get_template_partition_name(table),
            get_partitioned_table_name(table),
        )
        partition_aspects = {
            aspect.replace(pattern_partition, subject): value.replace(pattern_partition, subject)
            for aspect, value in expected_catalogue.get(pattern_partition, {}).items()
        }
        catalogue[subject] = partition_aspects | {"bound": f"FOR VALUES IN ('{space_id}')"}
        catalogue[dedicated_table] = {
            **catalogue.get(dedicated_table, {}),
            f"child public.{subject}": "inherits",
        }
    return catalogue


def _is_expected_difference(
    fact: CatalogueFact, expected_value: str | None, circumstances: HostCircumstances
) -> bool:
    """Return whether a difference is expected and not reported."""
    if fact.category == "extension":
        return (
            fact.subject.removeprefix("extension ") in KNOWN_EXTENSIONS
            or fact.subject in circumstances.trusted_objects
        )
    if expected_value is None:
        return (
            fact.category in ("known", "login", "hardening") or fact.subject in circumstances.trusted_objects
        )
    return circumstances.owner is not None and (fact.aspect, fact.value) in (
        ("owner", circumstances.owner),
        ("runs as", "its caller"),
    )


def _is_only_warning(
    fact: CatalogueFact, expected_value: str | None, circumstances: HostCircumstances
) -> bool:
    """Return whether a difference is only a warning, because no wall is affected."""
    if fact.category in ("stranger", "tuning"):
        return True
    if expected_value is None:
        host_match = _HOST_ROLE.search(fact.subject) or _HOST_ROLE.search(fact.aspect)
        return bool(host_match) or (circumstances.owner is not None and _is_of_other_role(fact))
    if fact.aspect == "attributes":
        # BYPASSRLS is a convenience for its roles, not a wall.
        return set(fact.value.split(", ")) < set(expected_value.split(", "))
    # Word search as its caller is slower, but has no wider access.
    return fact.subject == WORD_SEARCH_FUNCTION and fact.aspect == "runs as" and fact.value == "its caller"


def _may_be_missing(subject: str, aspect: str, circumstances: HostCircumstances) -> bool:
    """Return whether the fact may be missing: on a host without roles, roles and grants to them may."""
    if circumstances.owner is None:
        return False
    return subject.startswith("role ") or aspect.startswith(("granted to", "taken from", "member of"))


def _describe_unknown(fact: CatalogueFact) -> str:
    trust_advice = "or name {} in CITEGRAPH_TRUSTED_OBJECTS if you trust it"
    if fact.category == "extension":
        return f"is an unknown extension: DROP EXTENSION, {trust_advice.format(f'`{fact.subject}`')}"
    if fact.aspect.startswith("granted to"):
        role = fact.aspect.removeprefix("granted to ")
        return (
            f"{role} may {_shorten_value(fact.value)} on it, which no migration grants: REVOKE it FROM {role}"
        )
    if _is_of_other_role(fact):
        reason = (
            "it can monitor others or create roles"
            if fact.category == "stranger"
            else "it can reach rows of all spaces"
        )
        description = f"{fact.aspect} ({_shorten_value(fact.value)}): {reason}"
        return f"{description}. Revoke that, {trust_advice.format(f'`{fact.subject}`')}"
    if (fact.subject, fact.aspect) == ("server", "setting synchronous_commit"):
        return "has synchronous_commit = off: a crash loses data that users were told is saved. Set it to on"
    if fact.aspect == "kind":
        schema = fact.subject.partition(".")[0] if "." in fact.subject.partition("(")[0] else None
        trust_option = (
            trust_advice.format(f"`schema {schema}`") if schema else trust_advice.format(f"`{fact.subject}`")
        )
        return f"is unknown: {_shorten_value(fact.value)}; no migration created it. Drop it, {trust_option}"
    return (
        f"has an unknown {fact.aspect} ({_shorten_value(fact.value)}), which no migration created: remove it"
    )


def _is_of_other_role(fact: CatalogueFact) -> bool:
    """Return whether the difference is about a role that is not ours."""
    return fact.subject.startswith("role ") and fact.subject.removeprefix("role ") not in ROLES


def _describe_change(fact: CatalogueFact, expected_value: str) -> str:
    actual_part, expected_part = _shorten_values_to_difference(fact.value, expected_value)
    if fact.aspect.startswith("granted to") and (
        added_rights := set(fact.value.split(", ")) - set(expected_value.split(", "))
    ):
        rights, role = ", ".join(sorted(added_rights)), fact.aspect.removeprefix("granted to ")
        return f"{role} may {rights} on it, which no migration grants: REVOKE it FROM {role}"
    repair = _describe_repair(fact.subject, fact.aspect, expected_value)
    return f"{fact.aspect} is {actual_part}, where {expected_part} is expected. {repair}"


class _ShortenedValues(NamedTuple):
    """Two values, shortened to the first lines that differ."""

    actual_value: str
    expected_value: str


def _shorten_values_to_difference(actual_value: str, expected_value: str) -> _ShortenedValues:
    """Return both values shortened; of long ones, the first lines that differ."""
    actual_lines, expected_lines = actual_value.splitlines(), expected_value.splitlines()
    if len(actual_lines) > 1 or len(expected_lines) > 1:
        for index in range(max(len(actual_lines), len(expected_lines))):
            actual_line, expected_line = (
                lines[index].strip() if index < len(lines) else "nothing"
                for lines in (actual_lines, expected_lines)
            )
            if actual_line != expected_line:
                return _ShortenedValues(
                    f"“{_shorten_value(actual_line)}” in line {index + 1}",
                    f"“{_shorten_value(expected_line)}”",
                )
    return _ShortenedValues(
        _shorten_value(actual_value) or "nothing", _shorten_value(expected_value) or "nothing"
    )


def _shorten_value(value: str) -> str:
    line = " ".join(value.split())
    return line if len(line) <= _MAX_SHOWN_CHARACTERS else f"{line[:_MAX_SHOWN_CHARACTERS]}…"


def _describe_repair(subject: str, aspect: str, expected_value: str) -> str:
    if subject.startswith("role "):
        return "ALTER or REVOKE it back as a superuser; app/db/roles.py says what each role is for."
    if aspect.startswith("granted to"):
        return "Run `citegraph migrate`, which grants again."
    if aspect == "row security":
        return "ALTER TABLE … ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY."
    if aspect == "owner":
        return f"ALTER … OWNER TO {expected_value}."
    if aspect == "runs as":
        return f"ALTER FUNCTION … SECURITY {'DEFINER' if expected_value == 'its owner' else 'INVOKER'}."
    if aspect == "definition":
        return "Run the statement that app/db/doctor/catalogue.json has for it."
    return "Restore what the migrations create: app/db/doctor/catalogue.json."
