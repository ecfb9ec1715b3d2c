"""The drawing of a space: places kept by revision, claims through time, communities that open."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.errors import InvalidInput, NotFound
from app.graph.invalidation import service as invalidation
from app.graph.layout import service
from app.graph.layout.positions import NO_COMMUNITY_ID
from app.graph.layout.shapes import GraphView, ViewFilters
from app.graph.validity import END_OF_DENIAL
from app.ids import NodeId
from app.settings import Settings
from app.wiring import open_database
from benchmarks.data.drawn_spaces import community_id, fill_space, node_id
from tests.conftest import Home, make_home
from tests.graph.conftest import drawing, opened, statements
from tests.support.pooler import as_app

__all__ = ["statements"]

IN_2020, IN_2024 = datetime(2020, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)


def names(view: GraphView) -> set[str]:
    return {node.name for node in view.nodes}


def holding(view: GraphView, when: datetime | None = None) -> set[tuple[str, str, str]]:
    by_id = {node.id: node.name for node in view.nodes}
    day = None if when is None else service.count_days_since_epoch(when)
    return {
        (by_id[claim.from_id], claim.relation_type, by_id[claim.to_id])
        for claim in view.claims
        if claim.holds_on(day)
    }


def contested(view: GraphView) -> set[str]:
    return {view.claims[place].relation_type for place in view.contested}


def test_an_empty_space_has_nothing_to_draw(database: Database, home: Home) -> None:
    with opened(database, home) as space:
        view = service.build_graph_view(space)
    assert (view.nodes, view.groups, view.claims, view.nodes_in_space) == ([], [], [], 0)


def test_a_second_look_works_nothing_out(database: Database, home: Home, statements: list[str]) -> None:
    with drawing(database, home) as drawn:
        drawn.edge("Ada", "knows", "Bob")
    with opened(database, home) as space:
        first = service.build_graph_view(space)
    assert "graph.layout.store_layout" in statements
    statements.clear()
    with opened(database, home) as space:
        second = service.build_graph_view(space)
    assert second == first
    assert not {"graph.layout.store_layout", "graph.layout.list_most_mentioned_nodes"} & set(statements)
    assert len(statements) <= 5


def test_a_change_of_the_graph_is_drawn_anew(database: Database, home: Home) -> None:
    with drawing(database, home) as drawn:
        edge_id = drawn.edge("Ada", "knows", "Bob")
    with opened(database, home) as space:
        assert holding(service.build_graph_view(space)) == {("Ada", "knows", "Bob")}
    with opened(database, home) as space:
        invalidation.end_claim_by_person(space, edge_id, reason="Not so.", actor="test")
    with opened(database, home) as space:
        view = service.build_graph_view(space)
        kept = space.connection.execute("SELECT count(DISTINCT version) FROM graph_layout").fetchone()
    assert holding(view) == set()
    assert len(view.claims) == 1
    # Nothing of the graph before is kept.
    assert kept == (1,)


def test_what_is_kept_holds_no_name(database: Database, home: Home) -> None:
    with drawing(database, home) as drawn:
        drawn.edge("Zanzibarine", "knows", "Bob")
    with opened(database, home) as space:
        assert "Zanzibarine" in names(service.build_graph_view(space))
        rows = space.connection.execute("SELECT body FROM graph_layout").fetchall()
    assert rows
    assert not any(b"Zanzibarine" in bytes(row[0]) for row in rows)


def test_the_time_shows_what_held_then(database: Database, home: Home) -> None:
    with drawing(database, home) as drawn:
        drawn.edge("Bob", "works_for", "Acme", valid_from=IN_2020, invalidated_at=IN_2024)
        drawn.edge("Bob", "works_for", "Zenith", valid_from=IN_2024)
    with opened(database, home) as space:
        view = service.build_graph_view(space)
    assert holding(view) == {("Bob", "works_for", "Zenith")}
    assert holding(view, datetime(2021, 5, 5, tzinfo=UTC)) == {("Bob", "works_for", "Acme")}
    assert holding(view, datetime(2019, 5, 5, tzinfo=UTC)) == set()
    # The day on which it ends and the other begins belongs to the other.
    assert holding(view, IN_2024) == {("Bob", "works_for", "Zenith")}
    assert view.first_day == service.count_days_since_epoch(IN_2020)


def test_a_denied_claim_is_contested_and_a_denial_is_no_claim(database: Database, home: Home) -> None:
    with drawing(database, home) as drawn:
        drawn.edge("Bob", "works_for", "Acme")
        drawn.edge("Bob", "works_for", "Acme", polarity="denied", invalidated_at=END_OF_DENIAL)
        drawn.edge("Bob", "knows", "Eve", polarity="denied", invalidated_at=END_OF_DENIAL)
    with opened(database, home) as space:
        view = service.build_graph_view(space)
    assert holding(view) == {("Bob", "works_for", "Acme")}
    assert contested(view) == {"works_for"}


def test_a_denial_said_later_contests_nothing_before(database: Database, home: Home) -> None:
    with drawing(database, home) as drawn:
        drawn.edge("Bob", "works_for", "Acme", valid_from=IN_2020)
        drawn.edge(
            "Bob", "works_for", "Acme", polarity="denied", invalidated_at=END_OF_DENIAL, valid_from=IN_2024
        )
    with opened(database, home) as space:
        then = service.build_graph_view(space, filters=ViewFilters(as_of=datetime(2022, 1, 1, tzinfo=UTC)))
        now = service.build_graph_view(space)
    assert contested(then) == set()
    assert contested(now) == {"works_for"}


def test_opposites_contest_one_another_where_a_relation_goes_one_way(database: Database, home: Home) -> None:
    with drawing(database, home) as drawn:
        for relation in ("part_of", "knows"):
            drawn.edge("Ada", relation, "Bob")
            drawn.edge("Bob", relation, "Ada")
    with opened(database, home) as space:
        assert contested(service.build_graph_view(space)) == {"part_of"}


def test_another_space_s_nodes_are_neither_drawn_nor_found(
    database: Database, home: Home, twin: Home
) -> None:
    with drawing(database, twin) as drawn:
        drawn.edge("Ada", "knows", "Bob")
        theirs, other = (NodeId(drawn.nodes[name].id) for name in ("Ada", "Bob"))
    with opened(database, twin) as space:
        service.build_graph_view(space)
    with opened(database, home) as space:
        assert service.build_graph_view(space, shown_node_ids=[theirs]).nodes == []
        with pytest.raises(NotFound):
            service.list_edges_between(space, theirs, other)
        with pytest.raises(NotFound):
            service.list_node_and_neighbor_ids_and_record_recall(space, theirs)
        assert space.connection.execute(
            "SELECT count(*) FROM graph_layout WHERE part <> 'top'"
        ).fetchone() == (0,)


def test_all_that_is_said_between_two_is_told_those_that_hold_first(database: Database, home: Home) -> None:
    with drawing(database, home) as drawn:
        ended = drawn.edge("Ada", "owns", "Leda", invalidated_at=IN_2024)
        weak = drawn.edge("Leda", "knows", "Ada", weight=0.2)
        strong = drawn.edge("Ada", "uses", "Leda", weight=0.8)
        one, other = (NodeId(drawn.nodes[name].id) for name in ("Ada", "Leda"))
    with opened(database, home) as space:
        assert [edge.id for edge in service.list_edges_between(space, other, one)] == [strong, weak, ended]


@pytest.fixture(scope="module")
def filled(module_url: URL, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A space for all tests of large ones, which only read."""
    address = as_app(module_url).render_as_string(hide_password=False)
    settings = Settings(database_url=address, home=tmp_path_factory.mktemp("home"))
    database = open_database(address, settings)
    home = make_home(database, "tenant-large")
    database.dispose()
    with psycopg.connect(convert_to_conninfo(module_url)) as connection:
        fill_space(connection, UUID(str(home.space_id)), nodes=4_000, edges=12_000, top=4, fine=80, loose=400)
    return home


@pytest.mark.shared_database
class TestLargeSpaces:
    """4,000 nodes in 4 communities of 900, each of 20 parts, and 400 in none; its tests only read."""

    @pytest.fixture
    def home(self, filled: Home) -> Home:
        return filled

    @pytest.fixture
    def large(self, home: Home) -> UUID:
        return UUID(str(home.space_id))

    def test_communities_stand_for_their_nodes(self, database: Database, home: Home, large: UUID) -> None:
        with opened(database, home) as space:
            view = service.build_graph_view(space)
        assert view.by_communities
        assert view.nodes == []
        assert view.nodes_in_space == 4_000
        titles = {group.title: group.members for group in view.groups}
        assert titles == {**{f"Field {number}": 900 for number in range(4)}, "In no community": 400}
        assert len(view.ties) == 6
        assert all(tie.claims > 50 for tie in view.ties)

    def test_one_opens_in_its_place_and_its_parts_in_theirs(
        self, database: Database, home: Home, large: UUID
    ) -> None:
        top, fine = community_id(large, "top", 1), community_id(large, "fine", 5)
        with opened(database, home) as space:
            parts = service.build_graph_view(space, opened_community_ids=[top])
            # Whatever the order in which they are asked for.
            nodes = service.build_graph_view(space, opened_community_ids=[fine, top])
            without_parent = service.build_graph_view(space, opened_community_ids=[fine])
        group = next(group for group in parts.groups if group.id == top)
        inner = [group for group in parts.groups if group.level == 1]
        assert group.is_open
        assert len(inner) == 20
        assert len(nodes.nodes) == 45
        assert without_parent.nodes == []
        home_disc = next(group.circle for group in nodes.groups if group.id == fine)
        for node in nodes.nodes:
            assert ((node.x - home_disc.x) ** 2 + (node.y - home_disc.y) ** 2) ** 0.5 <= home_disc.radius
        # Nodes are tied to closed communities, their own siblings among them.
        ends = {tie.first for tie in nodes.ties} | {tie.second for tie in nodes.ties}
        assert any(end >= 0 for end in ends)
        assert any(end < 0 and nodes.groups[-1 - end].level == 1 for end in ends)

    def test_nodes_in_no_community_open_too(self, database: Database, home: Home, large: UUID) -> None:
        with opened(database, home) as space:
            view = service.build_graph_view(space, opened_community_ids=[NO_COMMUNITY_ID])
        assert len(view.nodes) == 400

    def test_a_node_that_is_asked_for_is_drawn_where_it_belongs(
        self, database: Database, home: Home, large: UUID
    ) -> None:
        wanted = NodeId(node_id(large, 5))
        with opened(database, home) as space:
            view = service.build_graph_view(space, shown_node_ids=[wanted])
            chain = service.list_communities_to_open(space, [wanted])[wanted]
        (node,) = view.nodes
        disc = view.groups[node.group]
        assert disc.id == chain[0] == community_id(large, "top", 1)
        assert ((node.x - disc.circle.x) ** 2 + (node.y - disc.circle.y) ** 2) ** 0.5 <= disc.circle.radius

    def test_ties_count_what_passes_the_filters(self, database: Database, home: Home, large: UUID) -> None:
        with opened(database, home) as space:
            every = sum(tie.claims for tie in service.build_graph_view(space).ties)
            uses = sum(
                tie.claims
                for tie in service.build_graph_view(space, filters=ViewFilters(relation="uses")).ties
            )
            before = service.build_graph_view(
                space, filters=ViewFilters(as_of=datetime(2014, 1, 1, tzinfo=UTC))
            )
        assert 0 < uses < every / 3
        assert before.ties == []

    def test_unknown_communities_open_nothing(self, database: Database, home: Home, large: UUID) -> None:
        with opened(database, home) as space:
            assert service.build_graph_view(
                space, opened_community_ids=[uuid4()]
            ) == service.build_graph_view(space)

    def test_too_many_are_refused(self, database: Database, home: Home, large: UUID) -> None:
        with opened(database, home) as space, pytest.raises(InvalidInput):
            service.build_graph_view(space, opened_community_ids=[uuid4() for _ in range(41)])

    def test_nothing_of_the_neighbour_is_read(
        self, database: Database, home: Home, twin: Home, large: UUID
    ) -> None:
        with opened(database, twin) as space:
            view = service.build_graph_view(
                space,
                opened_community_ids=[community_id(large, "top", 1)],
                shown_node_ids=[NodeId(node_id(large, 5))],
            )
        assert (view.nodes, view.groups, view.ties) == ([], [], [])
