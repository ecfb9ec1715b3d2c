"""The invariants of requirement 18: each a function of a reading that raises Violation where one is broken.

`ALWAYS` are run after each act, one of `SOMETIMES` in turn, and all of them and `AT_THE_END` once a sequence
of acts has ended. A check says the requirement that it holds, and is tried by a fault in
test_checks_find_faults.py.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from psycopg import sql

from app.db.doctor.examination import examine_database
from tests.invariants.doors import Row
from tests.invariants.reading import Reading, content_of, rows_of
from tests.invariants.tenant_rows import tenant_tables
from tests.invariants.violations import Refused, Violation, expect, expect_equal

Check = Callable[[Reading], None]

# Every text is read, and all of it.


def every_job_succeeds(reading: Reading) -> None:
    """18.1: whatever the text, no job fails and no document stays unread."""
    for job in reading.doors.api.pages(reading.side, "/jobs"):
        expect(
            job["state"] in ("done", "cancelled", "queued"),
            f"job {job['kind']} is {job['state']}: {job['error_code']} {job['error_message']}",
        )
        expect(job["error_code"] is None, f"job {job['kind']}: {job['error_code']} {job['error_message']}")
    for document in reading.documents:
        expect(
            document["state"] == "ready",
            f"document {document['title']} is {document['state']}: {document['failure_code']}",
        )


def every_word_stands_in_a_chunk(reading: Reading) -> None:
    """18.2: each word that was handed in stands in a chunk of its document."""
    chunks: dict[str, list[str]] = {}
    for chunk in reading.exported["chunk"]:
        chunks.setdefault(chunk["document_id"], []).append(chunk["text"])
    for document in reading.documents:
        handed_in = reading.side.texts.get(document["source_uri"])
        if handed_in is None:
            continue
        stated = set(_words("\n".join(chunks.get(document["id"], []))))
        missing = [word for word in _words(_without_links(handed_in)) if word not in stated]
        expect(not missing, f"words of {document['source_uri']} stand in no chunk: {missing[:5]}")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", unicodedata.normalize("NFC", text))


def _without_links(text: str) -> str:
    """The text without targets of Markdown's links, which are markup."""
    return re.sub(r"\]\([^)]*\)|https?://\S+", " ", text)


# What is listed stands.


def edges_have_both_nodes(reading: Reading) -> None:
    """18.3: each edge that is listed or exported has two nodes that are listed and exported too."""
    exported_nodes = {node["id"] for node in reading.exported["node"]}
    expect_equal(reading.node_ids, exported_nodes, "nodes listed and exported")
    for edge in (*reading.edges, *reading.exported["edge"]):
        for end in ("from_node_id", "to_node_id"):
            expect(edge[end] in reading.node_ids, f"edge {edge['id']}: its {end} {edge[end]} is no node")


def quotes_stand_at_their_ranges(reading: Reading) -> None:
    """18.3: what is cited stands where it says: quotes of edges, chunks of documents, mentions of nodes."""
    chunks = {chunk["id"]: chunk for chunk in reading.exported["chunk"]}
    for edge in reading.edges:
        evidence = edge["evidence"]
        expect_equal(evidence is None, edge["unsupported"], f"edge {edge['id']} unsupported")
        if evidence is None:
            continue
        text = reading.text(evidence["document_id"])
        stands = text[evidence["char_start"] : evidence["char_end"]]
        expect_equal(stands, evidence["quote"], f"quote of edge {edge['id']} at its range")
        chunk = chunks.get(evidence["chunk_id"])
        expect(chunk is not None, f"edge {edge['id']} cites a chunk that is not there")
    for chunk in chunks.values():
        stands = reading.text(chunk["document_id"])[chunk["char_start"] : chunk["char_end"]]
        expect_equal(stands, chunk["text"], f"chunk {chunk['id']} at its range")
    for mention in reading.exported["mention"]:
        stands = chunks[mention["chunk_id"]]["text"][mention["char_start"] : mention["char_end"]]
        expect_equal(stands, mention["surface_form"], "mention at its range")


def what_is_listed_answers(reading: Reading) -> None:
    """18.3: an id that one door lists, the others show."""
    api, side = reading.doors.api, reading.side
    for edge in reading.sample(reading.edges, 3):
        shown = api.send(side, "GET", f"/graph/edges/{edge['id']}")
        expect_equal(shown["quote"], edge["quote"], f"quote of edge {edge['id']} alone")
        command = reading.doors.command_line.in_space(side, "edges", "show", edge["id"], "--json")
        expect_equal(command["id"], edge["id"], "edge at the command line")
        for end in (edge["from_node_id"], edge["to_node_id"]):
            node = api.send(side, "GET", f"/graph/nodes/{end}")
            around = reading.doors.mcp.call(side, "neighborhood", node=end, limit=50)
            expect_equal(around["node"]["canonical_name"], node["canonical_name"], "name of a node by MCP")
            edges = {shown["id"] for shown in around["edges"]}
            cut = any("are shown" in sentence for sentence in around["truncated"])
            expect(edge["id"] in edges or cut, f"MCP shows no edge {edge['id']} around {end}")
            around = api.send(side, "GET", f"/graph/neighborhood/{end}", depth=1)
            expect(edge["id"] in {edge["id"] for edge in around["edges"]}, f"edge {edge['id']} around {end}")
        if edge["evidence"]:
            passage = reading.doors.mcp.call(side, "read_passage", chunk_id=edge["evidence"]["chunk_id"])
            expect(edge["quote"] in passage["text"], f"quote of {edge['id']} in its passage by MCP")
            chunk = api.send(side, "GET", f"/chunks/{edge['evidence']['chunk_id']}")
            expect_equal(chunk["text"], passage["text"], "a passage by API and MCP")
    for node in reading.sample(reading.nodes, 3):
        if _has_a_name(node):
            named = api.pages(side, "/graph/nodes", q=node["canonical_name"])
            expect(node["id"] in {page["id"] for page in named}, f"node {node['canonical_name']} by its name")
        for mention in api.pages(side, f"/graph/nodes/{node['id']}/mentions"):
            text = reading.text(mention["document_id"])[mention["char_start"] : mention["char_end"]]
            expect_equal(text, mention["surface_form"], f"mention of {node['canonical_name']} in the text")
        for community in api.send(side, "GET", f"/graph/nodes/{node['id']}/communities")["items"]:
            api.send(side, "GET", f"/graph/communities/{community['community_id']}")


def _has_a_name(node: Row) -> bool:
    """Whether it is found by what it is called: a node of which only edges are left is not."""
    return bool(node["canonical_name"] != f"forgotten {node['id']}")


# Doors say the same.


def counts_agree(reading: Reading) -> None:
    """18.3: API, export, views of psql and the quota's sums count the same."""
    rows, psql, side = reading.exported, reading.doors.psql, reading.side
    totals = reading.doors.api.send(side, "GET", "/overview", days=1)["totals"]
    expect_equal(totals["documents"], len(reading.documents), "documents of overview and list")
    expect_equal(len(rows["document"]), len(reading.documents), "documents exported and listed")
    expect_equal(totals["chunks"], len(rows["chunk"]), "chunks of overview and export")
    by_document = Counter(chunk["document_id"] for chunk in rows["chunk"])
    for document in reading.documents:
        expect_equal(document["chunk_count"], by_document[document["id"]], f"chunks of {document['title']}")
    top = {
        (str(node_id), name, mentions, out, into)
        for node_id, name, mentions, out, into in psql.rows(
            side, "SELECT id, canonical_name, mention_count, out_degree, in_degree FROM inspect_top_nodes"
        )
    }
    expect_equal(
        top,
        {
            (node["id"], node["canonical_name"], node["mention_count"], node["out_degree"], node["in_degree"])
            for node in reading.nodes
        },
        "inspect_top_nodes and the API's nodes",
    )
    mentions = Counter(mention["node_id"] for mention in rows["mention"])
    for node in reading.nodes:
        expect_equal(node["mention_count"], mentions[node["id"]], f"mentions of {node['canonical_name']}")
    leaving = Counter(edge["from_node_id"] for edge in rows["edge"])
    entering = Counter(edge["to_node_id"] for edge in rows["edge"])
    for node in reading.nodes:
        expect_equal(
            (node["out_degree"], node["in_degree"]),
            (leaving[node["id"]], entering[node["id"]]),
            f"edges of {node['canonical_name']}",
        )
    holding = {edge["id"] for edge in rows["edge"] if edge["invalidated_at"] is None}
    listed = {edge["id"] for edge in reading.edges}
    expect_equal(listed, holding, "edges that hold, listed and exported")
    types = Counter(edge["relation_type"] for edge in reading.edges)
    counted = reading.doors.api.send(side, "GET", "/graph/relation-types")["items"]
    expect_equal({edge["relation_type"]: edge["edges"] for edge in counted}, dict(types), "relation types")


def no_node_is_counted_that_is_not_listed(reading: Reading) -> None:
    """18.3: the quota's sum of nodes is the number that is listed."""
    totals = reading.doors.api.send(reading.side, "GET", "/overview", days=1)["totals"]
    expect_equal(totals["nodes"], len(reading.nodes), "nodes of overview and list")


def views_of_edges_agree(reading: Reading) -> None:
    """18.3: psql's views of edges show those that hold, and count them as the API does."""
    psql, side = reading.doors.psql, reading.side
    viewed = {str(row[0]) for row in psql.rows(side, "SELECT id FROM inspect_edges")}
    expect_equal(viewed, {edge["id"] for edge in reading.edges}, "inspect_edges and the API's edges")
    wrong = psql.rows(side, "SELECT id FROM inspect_ungrounded_edges WHERE reason = 'quote not found'")
    expect_equal(wrong, [], "inspect_ungrounded_edges whose quote is not found")
    types = Counter(edge["relation_type"] for edge in reading.edges)
    view = psql.rows(side, "SELECT relation_type, edges FROM inspect_relation_types")
    expect_equal(dict(view), dict(types), "inspect_relation_types")


def other_doors_agree(reading: Reading) -> None:
    """18.3: command line, MCP, client and dashboard say what the API says."""
    side, doors = reading.side, reading.doors
    run = doors.command_line.in_space
    listed = run(side, "nodes", "list", "--limit", "200", "--json")
    expect_equal({node["id"] for node in listed}, reading.node_ids, "nodes of command line and API")
    edges = run(side, "edges", "list", "--limit", "200", "--json")
    ids = {edge["id"] for edge in reading.edges}
    expect(len(ids) > 200 or {edge["id"] for edge in edges} == ids, "edges of command line and API differ")
    documents = run(side, "documents", "list", "--limit", "1000", "--json")
    expect_equal(
        {document["id"] for document in documents},
        {document["id"] for document in reading.documents},
        "documents of command line and API",
    )
    shown = doors.command_line.run(side, "space", "show", str(side.space_id), "--json")
    types = doors.api.send(side, "GET", "/graph/relation-types")["items"]
    expect_equal(
        {
            (relation_type["relation_type"], relation_type["edges"])
            for relation_type in shown["relation_types"]
        },
        {(type_["relation_type"], type_["edges"]) for type_ in types},
        "relation types of command line and API",
    )
    expect_equal(doors.command_line.export(side), reading.export, "export of command line and API")
    conflicts = doors.api.pages(side, "/graph/conflicts")
    by_command = run(side, "conflicts", "--limit", "200", "--json")
    expect_equal(
        {(edge["from_node_id"], edge["relation_type"], edge["status"]) for edge in by_command},
        {(conflict["from_node_id"], conflict["relation_type"], conflict["status"]) for conflict in conflicts},
        "conflicts of command line and API",
    )
    with doors.client.space(side) as space:
        expect_equal({str(node.id) for node in space.list_nodes()}, reading.node_ids, "nodes of the client")
        expect_equal({str(edge.id) for edge in space.list_edges()}, ids, "edges of the client")
    for first in reading.sample([node for node in reading.nodes if _has_a_name(node)], 1):
        found = doors.mcp.call(side, "find_nodes", query=first["canonical_name"], limit=50)
        expect(first["id"] in {node["id"] for node in found["items"]}, "MCP does not find a node by its name")


def tags_agree(reading: Reading) -> None:
    """18.3: a node has the same tags in the same order by export, API and command line; each is counted."""
    api, run, side = reading.doors.api, reading.doors.command_line.in_space, reading.side
    tags = {
        node["id"]: [tag["tag"] for tag in node["tags"]] for node in reading.exported["node"] if node["tags"]
    }
    several = sorted(tags, key=lambda node_id: (-len(tags[node_id]), node_id))
    for node_id in several[:3]:
        shown = api.send(side, "GET", f"/graph/nodes/{node_id}")["tags"]
        expect_equal(shown, tags[node_id], f"tags of {node_id} by API and export")
    for node_id in several[:1]:
        shown = run(side, "nodes", "show", node_id, "--json")["tags"]
        expect_equal(shown, tags[node_id], f"tags of {node_id} by command line and export")
    counts = Counter(tag for tag_value in tags.values() for tag in tag_value)
    if len(counts) <= 200:
        listed = api.send(side, "GET", "/graph/tags", limit=200)["items"]
        expect_equal({tag["tag"]: tag["nodes"] for tag in listed}, dict(counts), "tags and their nodes")
        listed = run(side, "tags", "list", "--limit", "200", "--json")
        expect_equal({tag["tag"]: tag["nodes"] for tag in listed}, dict(counts), "tags by command line")


def pages_of_the_dashboard_agree(reading: Reading) -> None:
    """18.3: the dashboard's home counts what the API lists, and its pages open."""
    if not reading.documents:
        return
    home = reading.doors.dashboard.page(reading.side, "")
    for label, count in (("Documents", len(reading.documents)), ("Chunks", len(reading.exported["chunk"]))):
        expect(re.search(rf"{label} {count}\b", home), f"the home page does not say {label} {count}")
    expect(
        re.search(rf"\b{len(reading.nodes)} nodes?\b", home), f"home does not say {len(reading.nodes)} nodes"
    )
    for path in reading.doors.dashboard.links(reading.side):
        reading.doors.dashboard.page(reading.side, path)


# Paths, pages, time.


def paths_lead_both_ways(reading: Reading) -> None:
    """18.3: the paths from A to B are those from B to A, reversed; by every door."""
    neighbours: dict[str, set[str]] = {}
    for edge in reading.edges:
        if edge["from_node_id"] != edge["to_node_id"]:
            neighbours.setdefault(edge["from_node_id"], set()).add(edge["to_node_id"])
            neighbours.setdefault(edge["to_node_id"], set()).add(edge["from_node_id"])
    order = {node["id"]: place for place, node in enumerate(reading.nodes)}
    two_hops = sorted(
        {
            (start, end)
            for start, between in neighbours.items()
            for middle in between
            for end in neighbours[middle]
            if middle in order and start in order and end in order and order[start] < order[end]
        },
        key=lambda pair: (order[pair[0]], order[pair[1]]),
    )
    for start, end in reading.sample(two_hops, 2):
        _compare_ways(reading, start, end)


def _compare_ways(reading: Reading, start: str, end: str) -> None:
    there, back = (reading.doors.api.explain(reading.side, *ends) for ends in ((start, end), (end, start)))
    if there["truncated"] or back["truncated"]:
        return

    def ways(found: Row) -> set[tuple[tuple[str, ...], ...]]:
        return {
            (tuple(node["id"] for node in path["nodes"]), tuple(edge["id"] for edge in path["edges"]))
            for path in found["paths"]
        }

    reverse = {(nodes[::-1], edges[::-1]) for nodes, edges in ways(back)}
    expect_equal(ways(there), reverse, f"paths {start} → {end} and back")
    expect(there["paths"], f"{start} and {end} are two hops apart, and no path is found")
    names = [[node["canonical_name"] for node in path["nodes"]] for path in there["paths"]]
    by_tool = [
        reading.doors.mcp.explain(reading.side, *ends)["paths"] for ends in ((start, end), (end, start))
    ]
    expect_equal(sorted(by_tool[0]), sorted(path[::-1] for path in by_tool[1]), "paths by MCP and back")
    expect_equal(sorted(by_tool[0]), sorted(names), "paths by MCP and API")


LISTS = (
    "/documents", "/jobs", "/graph/nodes", "/graph/edges", "/graph/invalidations", "/graph/conflicts",
    "/graph/merges", "/graph/splits", "/graph/communities", "/graph/summaries", "/v1/audit", "/v1/spaces",
    "/v1/api-keys", "/v1/usage", "/eviction",
)  # fmt: skip


def pages_join_to_the_list(reading: Reading) -> None:
    """18.3: a list in pages of one, two or three is the list."""
    for path in reading.sample(list(LISTS), 4):
        query = {"in_force": "false"} if path.endswith("invalidations") else {}
        _compare_pages(reading, path, query)
    for node in reading.sample(reading.nodes, 1):
        _compare_pages(reading, f"/graph/nodes/{node['id']}/mentions", {})
        _compare_pages(reading, "/graph/edges", {"node_id": node["id"]})
    for document in reading.sample(reading.documents, 1):
        _compare_pages(reading, f"/documents/{document['id']}/chunks", {})


def _compare_pages(reading: Reading, path: str, query: Row) -> None:
    try:
        whole = reading.doors.api.pages(reading.side, path, **query)
    except Refused:
        return
    if len(whole) > 120:
        return
    size = 1 + reading.step % 3
    paged = reading.doors.api.pages(reading.side, path, limit=size, **query)
    expect_equal(
        [json.dumps(row, sort_keys=True) for row in paged],
        [json.dumps(row, sort_keys=True) for row in whole],
        f"{path} in pages of {size}",
    )


def now_is_as_of_now(reading: Reading) -> None:
    """18.3: what is asked as of this moment is what is asked without a moment."""
    api, side = reading.doors.api, reading.side
    now = datetime.now(UTC).isoformat()
    for node in reading.sample(reading.nodes, 1):
        path = f"/graph/neighborhood/{node['id']}"
        there = api.send(side, "GET", path, depth=2)
        then = api.send(side, "GET", path, depth=2, as_of=now)
        expect_equal(
            sorted(edge["id"] for edge in then["edges"]),
            sorted(edge["id"] for edge in there["edges"]),
            f"edges around {node['canonical_name']} as of now",
        )
        expect_equal(
            [node["node"]["id"] for node in then["nodes"]],
            [node["node"]["id"] for node in there["nodes"]],
            f"nodes around {node['canonical_name']} as of now",
        )
    for edge in reading.sample(reading.edges, 1):
        ends = edge["from_node_id"], edge["to_node_id"]
        plain, then = api.explain(side, *ends), api.explain(side, *ends, as_of=now)
        expect_equal(_edge_ids(then), _edge_ids(plain), "facts of an explanation as of now")


def ended_claim_held_before(reading: Reading, edge: Row, moment: datetime) -> None:
    """18.3: an edge that held at a moment is shown as of it, though it has ended since."""
    if edge["valid_from"] is not None and datetime.fromisoformat(edge["valid_from"]) > moment:
        return
    api, mcp, side, then = reading.doors.api, reading.doors.mcp, reading.side, moment.isoformat()
    start, end = edge["from_node_id"], edge["to_node_id"]
    around = api.send(side, "GET", f"/graph/neighborhood/{start}", depth=1, as_of=then)
    ids = {edge["id"] for edge in around["edges"]}
    expect(edge["id"] in ids or around["truncated"], f"edge {edge['id']}, ended, is not shown as of before")
    told = mcp.call(side, "neighborhood", node=start, as_of=then, limit=50)
    ids = {shown["id"] for shown in told["edges"]}
    cut = any("are shown" in sentence for sentence in told["truncated"])
    expect(edge["id"] in ids or cut, f"edge {edge['id']}, ended, is not shown as of before by MCP")
    if start != end:
        paths = api.explain(side, start, end, as_of=then)["paths"]
        expect(paths, f"no path along edge {edge['id']}, ended, as of before")


def _edge_ids(found: Row) -> list[str]:
    return sorted(edge["id"] for edge in found["edges"])


# Exports come back.


def export_comes_back(reading: Reading) -> None:
    """18.3: an export imported into an empty space is exported there line for line."""
    world, side, doors = reading.world, reading.side, reading.doors
    copy = str(world.create_space(side.key, f"copy-{reading.step}"))
    try:
        door = doors.acting(reading.step)
        try:
            door.import_(side, copy, reading.export)
        except Refused as refusal:
            raise Violation(f"the export does not come back by the {door.name}: {refusal}") from refusal
        world.drain()
        again = doors.api.export(side, copy)
        expect_equal(
            again.splitlines()[1:], reading.export.splitlines()[1:], "export and export of its import"
        )
    finally:
        doors.api.send(side, "DELETE", f"/v1/spaces/{copy}")
        world.drain()


def same_content(before: str, after: str, act: str) -> None:
    """18.3: an act and its undoing leave what was: both exports hold the same rows."""
    expect_equal(content_of(after), content_of(before), f"the space before and after {act}")


def has_given_name(export: str, node_id: str) -> bool:
    """Whether the node is called as a person named it."""
    rows = (json.loads(line) for line in export.splitlines() if node_id in line)
    return any(
        bool(row["metadata"].get("given")) for row in rows if row["kind"] == "node" and row["id"] == node_id
    )


# Words that went.


def deleted_words_are_nowhere(reading: Reading) -> None:
    """18.3: a word of a document that is gone stands in no table and in no answer."""
    words = sorted(reading.side.erased_canaries)
    if not words:
        return
    tables = [name for name, _, _ in tenant_tables(reading.world)]
    pattern = "(" + "|".join(words) + ")"
    statement = sql.SQL(" UNION ALL ").join(
        sql.SQL(
            "SELECT {name}, substring(t::text FROM {pattern}) FROM {table} AS t WHERE t::text ~* {pattern}"
        ).format(name=sql.Literal(name), table=sql.Identifier(name), pattern=sql.Literal(pattern))
        for name in tables
    )
    traces = reading.world.superuser.execute(statement).fetchall()
    expect(not traces, f"deleted words stand in tables: {traces[:3]}")


def outdated_words_are_in_no_answer(reading: Reading) -> None:
    """18.3: an answer says no word of a document that is gone, or of a version that was replaced."""
    questions = ("Who does Ruben Vale work for?", "Who owns Brindle?")
    for question in questions:
        for path, body in (("/ask", {"question": question}), ("/retrieve", {"query": question})):
            answer = json.dumps(reading.doors.api.send(reading.side, "POST", path, body)).casefold()
            for word in reading.side.outdated_canaries:
                expect(word.casefold() not in answer, f"{path} {question} says the outdated word {word}")


# Derived texts.


def summaries_and_communities_cite_what_stands(reading: Reading) -> None:
    """18.3: each edge that a summary or a report rests on, and each member of a community, answers."""
    api, side = reading.doors.api, reading.side
    for summary in reading.sample(api.pages(side, "/graph/summaries"), 2):
        node_id = summary["node_id"]
        expect(node_id in reading.node_ids, f"the summary of {node_id} is of no node")
        shown = api.send(side, "GET", f"/graph/nodes/{node_id}")["summary"]
        for citation in shown["citations"] if shown else ():
            for edge_id in citation["edge_ids"]:
                api.send(side, "GET", f"/graph/edges/{edge_id}")
    for community in reading.sample(api.pages(side, "/graph/communities"), 2):
        report = api.send(side, "GET", f"/graph/communities/{community['id']}")
        for finding in report["findings"]:
            for edge_id in finding["edge_ids"]:
                api.send(side, "GET", f"/graph/edges/{edge_id}")
        for member in api.pages(side, "/graph/nodes", community_id=community["id"]):
            expect(member["id"] in reading.node_ids, "a member of a community is no node")


# The walls, money.


def doctor_is_green(reading: Reading) -> None:
    """18.4: the doctor finds every wall standing after the acts."""
    report = examine_database(reading.world.parts.database)
    bad = [(verdict.subject, verdict.sentences) for verdict in report.verdicts if verdict.state == "problem"]
    expect(report.is_healthy, f"doctor: {bad[:3]}")


def estimate_covers(estimate: Row, counts: dict[str, Any], cost: Row) -> None:
    """18.3: an ingest takes no more than its estimate said: chunks, calls, tokens, money."""
    expect(
        estimate["chunks"] >= counts.get("chunks", 0),
        f"{counts.get('chunks')} chunks were read, {estimate['chunks']} estimated",
    )
    for name in ("calls", "prompt_tokens", "completion_tokens"):
        expect(estimate[name] >= cost[name], f"{cost[name]} {name}, {estimate[name]} estimated")


ALWAYS: tuple[Check, ...] = (
    every_job_succeeds,
    every_word_stands_in_a_chunk,
    edges_have_both_nodes,
    quotes_stand_at_their_ranges,
    counts_agree,
    no_node_is_counted_that_is_not_listed,
    views_of_edges_agree,
    deleted_words_are_nowhere,
)
SOMETIMES: tuple[Check, ...] = (
    paths_lead_both_ways,
    pages_join_to_the_list,
    now_is_as_of_now,
    what_is_listed_answers,
    export_comes_back,
    other_doors_agree,
    tags_agree,
    outdated_words_are_in_no_answer,
    summaries_and_communities_cite_what_stands,
    pages_of_the_dashboard_agree,
)
AT_THE_END: tuple[Check, ...] = (doctor_is_green,)

__all__ = ["ALWAYS", "AT_THE_END", "SOMETIMES", "rows_of"]
