"""The chapters of the API's reference, in the order in which a newcomer needs them."""

from typing import Any

TAGS: list[dict[str, Any]] = [
    {"name": name, "description": description}
    for name, description in (
        ("spaces", "Knowledge spaces of the key's tenant, their settings, policy and embedding model."),
        ("documents", "Hand in documents, read them and their chunks, replace and delete them."),
        ("jobs", "Work under way: its state, its counts and cost; watched as a stream, retried, cancelled."),
        ("answers", "Questions in words: passages that answer, or sentences with the quotes under them."),
        ("graph", "Nodes, edges with their evidence, what lies around a node, and explanations of two hops."),
        ("contradictions", "Claims that cannot all hold, and the decisions of people about them."),
        ("communities", "What hangs together, as a tree of communities with their reports."),
        ("tags", "Words that sort nodes, set by people or suggested."),
        ("summaries", "What is said of a node, cited, and whether it was worth writing anew."),
        ("memory", "How much a space keeps, and what it gives up first."),
        ("tenant", "The key's own tenant: its keys, quotas, usage and audit."),
        ("tenants", "For operators, with the operator's key: make, change and delete tenants."),
        ("health", "For probes and monitoring; no key."),
    )
]
