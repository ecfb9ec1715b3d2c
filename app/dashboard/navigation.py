"""The entries beside every page, in their order; a page says which of them it belongs to."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One entry: the name that its pages give as `active`, its address, its label and its icon."""

    name: str
    path: str
    label: str
    icon: str


# Addresses continue the address of the space.
OF_A_SPACE = (
    Entry("home", "", "Overview", "layout-dashboard"),
    Entry("ask", "/ask", "Ask", "message-circle-question"),
    Entry("explain", "/explain", "Explain", "route"),
    Entry("graph", "/graph", "Graph", "waypoints"),
    Entry("communities", "/communities", "Communities", "network"),
    Entry("summaries", "/summaries", "Summaries", "notebook-text"),
    Entry("documents", "/documents", "Documents", "file-text"),
    Entry("jobs", "/jobs", "Jobs", "activity"),
    Entry("usage", "/usage", "Usage", "chart-column"),
)
