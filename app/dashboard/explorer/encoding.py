"""Encode a drawn graph for the page's script: columns instead of objects, each name once, compressed."""

import gzip
from typing import Any

import orjson
from fastapi import Request
from fastapi.responses import Response

from app.domain.layers import Layer
from app.graph.layout.shapes import DrawnGroup, GraphView
from app.http.security_headers import SECURITY_HEADERS

_GZIP_LEVEL = 5
_MIN_COMPRESSED_BYTES = 1_000


def build_json_response(request: Request, body: dict[str, Any]) -> Response:
    """Return the body as a JSON response, compressed if the browser accepts that."""
    content = orjson.dumps(body)
    headers = {**SECURITY_HEADERS, "vary": "accept-encoding"}
    if len(content) > _MIN_COMPRESSED_BYTES and "gzip" in request.headers.get("accept-encoding", ""):
        content = gzip.compress(content, _GZIP_LEVEL, mtime=0)
        headers["content-encoding"] = "gzip"
    return Response(content, media_type="application/json", headers=headers)


def encode_view(view: GraphView) -> dict[str, Any]:
    """Return groups, nodes, claims and ties. Claims refer to nodes by their indexes in the list of nodes."""
    index_by_type: dict[str, int] = {}
    index_by_relation: dict[str, int] = {}
    return {
        "byCommunities": view.by_communities,
        "total": view.nodes_in_space,
        "notes": view.notes,
        "firstDay": view.first_day,
        "lastDay": view.last_day,
        "groups": [_encode_group(group) for group in view.groups],
        "nodes": _encode_nodes(view, index_by_type),
        "claims": _encode_claims(view, index_by_relation),
        "ties": [
            (
                group_tie.first,
                group_tie.second,
                group_tie.claims,
                round(group_tie.weight, 2),
                round(group_tie.confidence, 2),
            )
            for group_tie in view.ties
        ],
        "types": list(index_by_type),
        "relations": list(index_by_relation),
        # Indexes of the relation types that are verbs as written.
        "statements": sorted(
            {
                index_by_relation[claim.relation_type]
                for claim in view.claims
                if claim.layer is Layer.STATEMENT
            }
        ),
    }


def _encode_group(group: DrawnGroup) -> dict[str, Any]:
    return {
        "id": group.id.hex,
        "title": group.title,
        "level": group.level,
        "members": group.members,
        "x": group.circle.x,
        "y": group.circle.y,
        "radius": round(group.circle.radius, 2),
        "report": group.has_report,
        "open": group.is_open,
        "root": group.root,
    }


def _encode_nodes(view: GraphView, index_by_type: dict[str, int]) -> dict[str, Any]:
    """Return a list for each property of nodes; add the index of each type to `index_by_type`."""
    return {
        "id": [node.id.hex for node in view.nodes],
        "name": [node.name for node in view.nodes],
        "type": [index_by_type.setdefault(node.node_type, len(index_by_type)) for node in view.nodes],
        "mentions": [node.mentions for node in view.nodes],
        "degree": [node.degree for node in view.nodes],
        "confidence": [round(node.confidence, 2) for node in view.nodes],
        "group": [node.group for node in view.nodes],
        "x": [node.x for node in view.nodes],
        "y": [node.y for node in view.nodes],
        "room": [node.spacing for node in view.nodes],
    }


def _encode_claims(view: GraphView, index_by_relation: dict[str, int]) -> dict[str, Any]:
    """Return a list for each property of claims; add the index of each relation type to
    `index_by_relation`.
    """
    index_by_node = {node.id: index for index, node in enumerate(view.nodes)}
    return {
        "from": [index_by_node[claim.from_id] for claim in view.claims],
        "to": [index_by_node[claim.to_id] for claim in view.claims],
        "relation": [
            index_by_relation.setdefault(claim.relation_type, len(index_by_relation)) for claim in view.claims
        ],
        "weight": [round(claim.weight, 2) for claim in view.claims],
        "confidence": [round(claim.confidence, 2) for claim in view.claims],
        "sources": [claim.sources for claim in view.claims],
        "since": [claim.since for claim in view.claims],
        "until": [claim.until for claim in view.claims],
        # Bits: supported, denied, contested, holds today.
        "flags": [
            claim.is_supported + 2 * claim.is_denied + 4 * (index in view.contested) + 8 * claim.holds_today
            for index, claim in enumerate(view.claims)
        ],
    }
