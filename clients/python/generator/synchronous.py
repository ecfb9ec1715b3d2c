"""Writes the synchronous client from the asynchronous one, word by word: one is kept by hand, not two."""

import re

_WORDS = (
    (r"async (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\bAsync(Citegraph|Space|SpaceMethods|ClientMethods|Caller|Pages|Transport|Iterator|Client)\b", r"\1"),
    (r"\ba(close|read|iter_bytes)\(", r"\1("),
    (r"\b__a(iter|enter|exit)__\b", r"__\1__"),
    (r"\basyncio\.sleep\b", "time.sleep"),
    (r"^import asyncio$", "import time"),
    (r"\bcitegraph_client\.generated\.async_methods\b", "citegraph_client.generated.synchronous.methods"),
    (r"\bcitegraph_client\.asynchronous\b", "citegraph_client.generated.synchronous"),
    (r"\basynchronous\b", "synchronous"),
)
_NOTE = " Written by `make client` from the asynchronous one; not edited.\n"


def synchronous(text: str, *, note: bool = True) -> str:
    """The module's text without its asynchronous parts."""
    for found, instead in _WORDS:
        text = re.sub(found, instead, text, flags=re.MULTILINE)
    # A module that is asynchronous needs the clock as well, and has it twice now.
    text = text.replace(
        "import time\nimport datetime as dt\nimport time\n", "import datetime as dt\nimport time\n"
    )
    if note:
        head, _, rest = text.partition('"""\n')
        text = f'{head}\n\n{_NOTE.strip()}\n"""\n{rest}'
    return text
