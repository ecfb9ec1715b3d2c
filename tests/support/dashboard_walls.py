"""Every route of the dashboard with values for all that it takes, so that a new one cannot be left out.

A route whose path, query or form names something without a value here fails whichever walk meets it.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from app.dashboard.app import ROUTERS
from app.db.base import Base
from app.db.models import DashboardSession
from app.derived.communities import service as communities
from app.ids import create_id
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from tests.api.conftest import Account, World

OF_NOBODY = {
    "/",
    "/dashboard",
    "/dashboard/alive",
    "/dashboard/sign-in",
    "/dashboard/sign-out",
    "/dashboard/links/{token}",
    "/dashboard/password",
    "/dashboard/{path:path}",
}
"""Pages that are about no tenant: what they show is the visitor's own."""
KINDS = {
    "space": "/dashboard/spaces/{space_id}",
    "tenant": "/dashboard/tenants/{tenant_id}",
    "operator": "/dashboard/operator",
}
WALLED = {"space_id", "tenant_id"}


@dataclass(frozen=True)
class Things:
    """One tenant's things, by the names under which routes take them."""

    account: Account
    ids: dict[str, UUID]

    def value(self, name: str) -> str:
        """The value of that name; a word for what stands for no thing."""
        if name in self.ids:
            return str(self.ids[name])
        return WORDS[name]


# Of one name in every route: `after` of lists is an id, of pages that count a place; both are let through.
WORDS = {
    "act": "disable",
    "action": "",
    "actor": "",
    "after_mentions": "1",
    "all": "true",
    "as_of": "",
    "at": "",
    "by": "day",
    "object_id": "",
    "confidence": "0.5",
    "confirm": "library",
    "days": "30",
    "description": "changed",
    "email": "new@walls.example",
    "end": "1",
    "events": "job.done",
    "format": "",
    "kind": "",
    "layer": "claim",
    "level": "0",
    "model": "hashed",
    "name": "changed",
    "name_a": "ingres",
    "name_b": "postgres",
    "outcome": "",
    "prune": "true",
    "q": "Michael Stonebraker",
    "reason": "changed",
    "relation": "created",
    "role": "admin",
    "scope": "local",
    "scopes": "read",
    "sent": "2026-01-31T12:00:00Z",
    "seen": "changed",
    "sense": "changed",
    "shown": "0",
    "since": "",
    "start": "0",
    "state": "",
    "tags": "changed",
    "type": "",
    "type_a": "Technology",
    "type_b": "Technology",
    "until": "",
    "url": "https://walls.example/told",
    "usd": "1",
    "value": '"changed"',
    "whole": "true",
}


def things_of(world: World, account: Account) -> Things:
    """The tenant's things; those that it lacks so far are made."""
    database = world.citegraph.database
    with database.open_tenant(account.home.tenant_id) as tenant:
        email = f"walled-{account.letter.lower()}-{create_id().hex[-6:]}@walls.example"
        accounts.create_invitation_link_token(tenant, email=email, role=Role.VIEWER, actor="test")
        link = next(
            invitation.id for invitation in accounts.list_invitations(tenant) if invitation.email == email
        )
        member = accounts.list_members(tenant)[0].account_id
    with database.open_space(account.home.tenant_id, account.home.space_id) as space:
        run = communities.find_latest_run(space)
        assert run is not None
        merge = create_id()
        # Of nodes that are gone: no other test meets it.
        space.connection.execute(
            "INSERT INTO node_merge (knowledge_space_id, id, winner_node_id, loser_node_id, loser_name,"
            " loser_type, loser, winner, reason, decided_by, confidence, graph_revision)"
            " VALUES (%s, %s, %s, %s, 'gone', 'Thing', '{}', '{}', 'person', 'test', 1, 0)",
            [account.space_id, merge, create_id(), create_id()],
        )
    node = account.node_id
    ids = {
        "space_id": account.space_id,
        "trial_id": account.trial_id,
        "space_ids": account.space_id,
        "space": account.space_id,
        "tenant_id": account.tenant_id,
        "owner_id": account.tenant_id,
        "document_id": account.document_id,
        "chunk_id": account.chunk_id,
        "chunk": account.chunk_id,
        "job_id": account.job_id,
        "job": account.job_id,
        "node_id": node,
        "edge_id": account.edge_id,
        "community_id": account.community_id,
        "open": account.community_id,
        "run_id": run.id,
        "merge_id": merge,
        "split_id": account.split_id,
        "account_id": member,
        "link_id": link,
        "key_id": account.key_id,
        "webhook_id": account.webhook_id,
        "delivery_id": account.delivery_id,
        "question_id": account.question_id,
        **dict.fromkeys(("golden_run_id", "against"), account.golden_run_id),
        **dict.fromkeys(
            ("one_id", "other_id", "node", "show", "a", "b", "from", "to", "winner", "loser"), node
        ),
        **dict.fromkeys(("after", "before", "merged_before", "split_before"), node),
    }
    return Things(account, ids)


def every_route() -> list[APIRoute]:
    """The routes of the dashboard."""
    return [route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute)]


def kind_of(route: APIRoute) -> str | None:
    """The kind of thing that the route is about; None for one of nobody. Fails for any other."""
    if route.path in OF_NOBODY:
        return None
    return next(kind for kind, start in KINDS.items() if route.path.startswith(start))


def routes(kind: str, method: str) -> list[APIRoute]:
    """The routes of this kind that take the method."""
    found = [route for route in every_route() if kind_of(route) == kind and method in (route.methods or ())]
    assert found
    return found


def names_in(route: APIRoute) -> set[str]:
    """The names in the route's path."""
    return set(re.findall(r"{(\w+)}", route.path))


def path_of(route: APIRoute, home: Things, other: Things | None = None) -> str:
    """The route's path in one tenant's place, with the things of another where one is given."""
    others = other or home
    return re.sub(r"{(\w+)}", lambda name: (home if name[1] in WALLED else others).value(name[1]), route.path)


def _all_parts(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for dependency in dependant.dependencies:
        yield from _all_parts(dependency)


def query_of(route: APIRoute, things: Things) -> dict[str, str]:
    """A value for everything that the route takes from the query."""
    return _values(route, things, "query_params")


def form_of(route: APIRoute, things: Things) -> dict[str, str]:
    """A value for everything that the route takes from a form."""
    return _values(route, things, "body_params")


def _values(route: APIRoute, things: Things, where: str) -> dict[str, str]:
    fields: list[Any] = [field for part in _all_parts(route.dependant) for field in getattr(part, where)]
    found = {}
    for field in fields:
        name = field.alias or field.name
        annotation = str(field.field_info.annotation)
        if name == "after" and "UUID" not in annotation:
            continue
        if name == "scope" and "local" not in annotation.lower() and where == "body_params":
            found[name] = "edge"
        elif name == "as_of":
            found[name] = "2020-01-01"
        else:
            found[name] = things.value(name)
    return found


def names_a_thing(route: APIRoute) -> bool:
    """Return whether the route names a thing inside the space or the tenant, in its path or its form."""
    in_form = {
        parameter.alias or parameter.name
        for part in _all_parts(route.dependant)
        for parameter in part.body_params
        if "UUID" in str(parameter.field_info.annotation)
    }
    return bool((names_in(route) - WALLED) | in_form)


def contents(world: World, account: Account) -> dict[str, str]:
    """A digest of every row that a tenant's space and the tenant itself have, by table.

    When a session was last seen is left out: any request writes it, once a minute.
    """
    found = {}
    with world.citegraph.database.open_space(account.home.tenant_id, account.home.space_id) as space:
        for name, table in sorted(Base.metadata.tables.items()):
            wall = "knowledge_space_id" if "knowledge_space_id" in table.c else "tenant_id"
            if wall not in table.c:
                continue
            owner = account.space_id if wall == "knowledge_space_id" else account.tenant_id
            row = "(to_jsonb(t) - 'last_seen_at')" if table is DashboardSession.__table__ else "t"
            rows = space.connection.execute(
                f"SELECT {row}::text FROM {name} t WHERE {wall} = %s ORDER BY 1".encode(), [owner]
            ).fetchall()
            found[name] = hashlib.sha256("\n".join(row[0] for row in rows).encode()).hexdigest()
    return found
