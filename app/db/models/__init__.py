"""All tables, in one file for each subject."""

from app.db.models.accounts import Account, AskedQuestion, DashboardSession, SignInLink
from app.db.models.attributes import NodeAttribute
from app.db.models.communities import (
    Community,
    CommunityEvent,
    CommunityMember,
    CommunityRun,
    EdgeChange,
)
from app.db.models.documents import Document, DocumentBody, KnowledgeChunk
from app.db.models.golden import GoldenOutcome, GoldenQuestion
from app.db.models.graph import GraphEdge, GraphLayout, GraphNode, NodeMention, NodeName
from app.db.models.integration import IdempotentRequest, Webhook, WebhookDelivery, WebhookQueue
from app.db.models.invalidation import EdgeInvalidation
from app.db.models.jobs import Job, JobError
from app.db.models.llm import ModelAnswer, ModelAnswerChunk, ModelAnswerLease, ModelCall
from app.db.models.memory import ChunkRecall, EdgeRecall
from app.db.models.merging import KeptPairs, NodeMerge, NodeNameKey, NodePairVerdict, NodeSplit
from app.db.models.retrieval import (
    ChunkVector,
    DedicatedChunkVector,
    DedicatedFactVector,
    DedicatedNodeVector,
    FactVector,
    NodeVector,
    SpaceStatistics,
)
from app.db.models.summaries import (
    ChangedNode,
    NodeSummary,
    SummaryCount,
    SummaryEpisode,
    SummarySkip,
    TouchedNodes,
)
from app.db.models.tags import NodeTag
from app.db.models.tenancy import (
    ApiKey,
    AuditEvent,
    BudgetReservation,
    KnowledgeSpace,
    SpaceSize,
    Tenant,
    UsageDaily,
    UsageOfDeleted,
    WallExamination,
)
from app.db.models.trials import TrialReading

__all__ = [
    "Account",
    "ApiKey",
    "AskedQuestion",
    "AuditEvent",
    "BudgetReservation",
    "ChangedNode",
    "ChunkRecall",
    "ChunkVector",
    "Community",
    "CommunityEvent",
    "CommunityMember",
    "CommunityRun",
    "DashboardSession",
    "DedicatedChunkVector",
    "DedicatedFactVector",
    "DedicatedNodeVector",
    "Document",
    "DocumentBody",
    "EdgeChange",
    "EdgeInvalidation",
    "EdgeRecall",
    "FactVector",
    "GoldenOutcome",
    "GoldenQuestion",
    "GraphEdge",
    "GraphLayout",
    "GraphNode",
    "IdempotentRequest",
    "Job",
    "JobError",
    "KeptPairs",
    "KnowledgeChunk",
    "KnowledgeSpace",
    "ModelAnswer",
    "ModelAnswerChunk",
    "ModelAnswerLease",
    "ModelCall",
    "NodeAttribute",
    "NodeMention",
    "NodeMerge",
    "NodeName",
    "NodeNameKey",
    "NodePairVerdict",
    "NodeSplit",
    "NodeSummary",
    "NodeTag",
    "NodeVector",
    "SignInLink",
    "SpaceSize",
    "SpaceStatistics",
    "SummaryCount",
    "SummaryEpisode",
    "SummarySkip",
    "Tenant",
    "TouchedNodes",
    "TrialReading",
    "UsageDaily",
    "UsageOfDeleted",
    "WallExamination",
    "Webhook",
    "WebhookDelivery",
    "WebhookQueue",
]
