"""Communities: runs of Leiden, the communities and their members, and the history of earlier ones."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    REAL,
    BigInteger,
    CheckConstraint,
    Double,
    Index,
    Integer,
    SmallInteger,
    Text,
    Uuid,
    desc,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from app.db.base import (
    Base,
    SpaceOwned,
    TriggerKey,
    build_created_at_column,
    build_foreign_key_within_space,
    build_space_foreign_key,
    build_updated_at_column,
)


class CommunityRun(SpaceOwned, Base):
    """One run of the detection; the newest is in force."""

    __tablename__ = "community_run"
    __table_args__ = (
        build_space_foreign_key(),
        {"comment": "Runs of the community detection, newest in force; the last fifty are kept."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7: in the order of the runs.")
    graph_revision: Mapped[int] = mapped_column(
        BigInteger,
        comment="The space's graph revision that the run read; while it is current there is nothing to do.",
    )
    read_at: Mapped[datetime] = mapped_column(comment="When the graph was read, by the database's clock.")
    seed: Mapped[int] = mapped_column(BigInteger, comment="Seed of Leiden's choices.")
    min_weight: Mapped[float] = mapped_column(REAL, comment="Least summed weight of a pair of nodes.")
    levels: Mapped[int] = mapped_column(SmallInteger, comment="Levels that were asked for.")
    nodes: Mapped[int] = mapped_column(Integer, comment="Nodes of the space when it was last read whole.")
    pairs: Mapped[int] = mapped_column(Integer, comment="Pairs of nodes heavy enough to count.")
    communities: Mapped[int] = mapped_column(Integer, comment="Communities of all levels.")
    modularity: Mapped[float] = mapped_column(Double, comment="Modularity of level 0, at most 1.")
    weight: Mapped[float] = mapped_column(
        Double, server_default="0", comment="Sum of the weights of its pairs, each counted at both ends."
    )
    partials: Mapped[int | None] = mapped_column(
        SmallInteger,
        comment=(
            "Partial runs since the last whole one, itself included; 0 for a whole one, null where no partial"
            " one may follow."
        ),
    )
    changed_edges: Mapped[int] = mapped_column(
        BigInteger, server_default="0", comment="Edges that changed since the graph of the last whole run."
    )
    created_at: Mapped[datetime] = build_created_at_column()


class Community(SpaceOwned, Base):
    """Nodes grouped by Leiden. A community keeps its id and title while most of its members stay."""

    __tablename__ = "community"
    __table_args__ = (
        build_space_foreign_key(),
        build_foreign_key_within_space("parent_id", "community.id", keeps_row=True),
        Index("ix_community_level", "knowledge_space_id", "level", desc("member_count"), "id"),
        Index("ix_community_parent", "knowledge_space_id", "parent_id"),
        CheckConstraint("level >= 0", name="level_range"),
        {
            "comment": "Communities: groups of closely connected nodes, by levels, each with a report that "
            "cites edges."
        },
    )

    id: Mapped[UUID] = mapped_column(
        primary_key=True,
        comment="Derived from its first members, so that a repeated run finds the same community.",
    )
    level: Mapped[int] = mapped_column(SmallInteger, comment="0 the coarsest; each further one divides them.")
    parent_id: Mapped[UUID | None] = mapped_column(comment="The community of the level before that holds it.")
    member_count: Mapped[int] = mapped_column(Integer, comment="Nodes in it, those of its parts included.")
    weight: Mapped[float] = mapped_column(
        Double,
        comment=(
            "Sum of the weights of its nodes' pairs within its parent, at level 0 of all their pairs, "
            "each pair counted at both ends; used for modularity."
        ),
    )
    inner_weight: Mapped[float] = mapped_column(
        Double,
        server_default="0",
        comment="Sum of the weights of the pairs inside it, each counted at both ends.",
    )
    content_hash: Mapped[UUID] = mapped_column(comment="128 bits over its members and the facts among them.")
    title: Mapped[str] = mapped_column(Text, comment="Given once; its central nodes where no model gave one.")
    summary: Mapped[str] = mapped_column(Text, server_default="", comment="What the report says in short.")
    findings: Mapped[list[Any]] = mapped_column(
        JSONB,
        server_default=text("'[]'::jsonb"),
        comment='The report: [{"text", "edge_ids"}], each finding with the edges that it rests on.',
    )
    reported_hash: Mapped[UUID | None] = mapped_column(
        comment="content_hash when the report was written; another one makes it stale."
    )
    reported_by: Mapped[str | None] = mapped_column(
        Text, comment="rules or the model's name; null before the first report."
    )
    reported_at: Mapped[datetime | None] = mapped_column(comment="When the report was written.")
    created_at: Mapped[datetime] = build_created_at_column()
    updated_at: Mapped[datetime] = build_updated_at_column()


class CommunityMember(SpaceOwned, Base):
    """A node in the finest community that contains it; that community's parents contain it too."""

    __tablename__ = "community_member"
    __table_args__ = (
        # No key to graph_node: checking a million rows would cost as much as Leiden. The row of a deleted
        # node stays until the next run, so queries of members join the nodes.
        TriggerKey(
            ["knowledge_space_id", "community_id"],
            ["community.knowledge_space_id", "community.id"],
            ondelete="CASCADE",
            triggers={
                "community_member": ("check_insert", "check_update"),
                "community": ("drop_members", "refuse_new_id"),
            },
        ),
        Index("ix_community_member_community", "knowledge_space_id", "community_id"),
        {"comment": "Which node is in which community: the finest one, whose parents hold it too."},
    )

    node_id: Mapped[UUID] = mapped_column(primary_key=True, comment="The node; may be gone since the run.")
    community_id: Mapped[UUID] = mapped_column(comment="The finest community that holds it.")
    weight: Mapped[float] = mapped_column(
        REAL, comment="Weight of its pairs within its community of level 0: how central it is."
    )


class CommunityEvent(SpaceOwned, Base):
    """A change of a community in a run; an unchanged community has none."""

    __tablename__ = "community_event"
    __table_args__ = (
        build_foreign_key_within_space("run_id", "community_run.id"),
        Index("ix_community_event_run", "knowledge_space_id", "run_id"),
        Index("ix_community_event_community", "knowledge_space_id", "community_id"),
        CheckConstraint("change IN ('new', 'split', 'merged', 'gone')", name="change"),
        {"comment": "Lineage: communities that were new, split off, merged into another, or gone."},
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="uuid v7, made by the application.")
    run_id: Mapped[UUID] = mapped_column(comment="The run that saw it.")
    community_id: Mapped[UUID] = mapped_column(comment="The community; may be gone.")
    change: Mapped[str] = mapped_column(Text, comment="new, split, merged or gone.")
    level: Mapped[int] = mapped_column(SmallInteger, comment="Its level.")
    title: Mapped[str] = mapped_column(Text, comment="Its title at the time.")
    other_ids: Mapped[list[UUID]] = mapped_column(
        ARRAY(Uuid),
        server_default=text("'{}'::uuid[]"),
        comment="The community that it split from, or that it merged into.",
    )


class EdgeChange(SpaceOwned, Base):
    """Changes of edges by one statement, written by triggers and cleared by the next community detection."""

    __tablename__ = "edge_change"
    __table_args__ = (
        build_space_foreign_key(),
        {
            "comment": (
                "What happened to edges since the run of the community detection in force, written by"
                " triggers, cleared by the next run."
            )
        },
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, comment="Random, made by the trigger.")
    revision: Mapped[int] = mapped_column(
        BigInteger,
        comment="The space's graph revision of the change: orders what happened to one edge.",
    )
    noted_at: Mapped[datetime] = mapped_column(
        server_default=text("clock_timestamp()"),
        comment="When it was noted: orders what one revision did to one edge.",
    )
    added: Mapped[list[UUID]] = mapped_column(
        ARRAY(Uuid),
        server_default=text("'{}'::uuid[]"),
        comment="Edges that were written or restored.",
    )
    edge_id: Mapped[UUID | None] = mapped_column(
        comment="An edge that was changed or removed; the following columns say what it was before."
    )
    from_node_id: Mapped[UUID | None] = mapped_column(comment="The node at which that edge started.")
    to_node_id: Mapped[UUID | None] = mapped_column(comment="The node to which that edge led.")
    weight: Mapped[float | None] = mapped_column(REAL, comment="Its weight.")
    relation_type: Mapped[str | None] = mapped_column(Text, comment="Its relation type.")
    node_id: Mapped[UUID | None] = mapped_column(comment="Not written any more: no node is hidden.")
