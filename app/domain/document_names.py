"""The name of a document wherever one is shown."""


def choose_document_name(title: str | None, address: str | None = None) -> str:
    """Return the document's title, else its address, else "Untitled"."""
    return title or address or "Untitled"
