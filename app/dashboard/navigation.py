"""The navigation entries of every page, in order; each page names the one to which it belongs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One entry: the name that its pages pass as `active`, its address, its label and its icon."""

    name: str
    path: str
    label: str
    icon: str


# Addresses continue the address of the space.
SPACE_PAGES = (
    Entry("home", "", "Overview", "layout-dashboard"),
    Entry("ask", "/ask", "Ask", "message-circle-question"),
    Entry("explain", "/explain", "Explain", "route"),
    Entry("graph", "/graph", "Graph", "waypoints"),
    Entry("communities", "/communities", "Communities", "network"),
    Entry("summaries", "/summaries", "Summaries", "notebook-text"),
    Entry("curation", "/curation", "Curate", "wrench"),
    Entry("documents", "/documents", "Documents", "file-text"),
    Entry("golden", "/golden", "Golden questions", "star"),
    Entry("trials", "/trials", "Trials", "file-diff"),
    Entry("jobs", "/jobs", "Jobs", "activity"),
    Entry("usage", "/usage", "Usage", "chart-column"),
    Entry("settings", "/settings", "Settings", "sliders-horizontal"),
)
# For its admins; addresses continue the address of the tenant.
TENANT_PAGES = (
    Entry("tenant", "", "Limits and spaces", "gauge"),
    Entry("tenant-usage", "/usage", "Usage and cost", "chart-column"),
    Entry("members", "/members", "Members", "users"),
    Entry("keys", "/keys", "API keys", "key-round"),
    Entry("webhooks", "/webhooks", "Webhooks", "webhook"),
    Entry("audit", "/audit", "Audit", "scroll-text"),
    Entry("walls", "/walls", "Walls", "shield-check"),
)
# For operators of the installation; addresses continue /dashboard/operator.
OPERATOR_PAGES = (
    Entry("health", "", "Health", "activity"),
    Entry("tenants", "/tenants", "Tenants", "building-2"),
    Entry("queue", "/queue", "Queue", "list-ordered"),
    Entry("database", "/database", "Database", "database"),
    Entry("operator-walls", "/walls", "Walls", "shield-check"),
)
