"""Parse HTML into a tree, unless it is nested so deep that this takes quadratic time."""

import re
from collections import Counter

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from app.documents.parsers import parse_errors
from app.domain.scoring.stop_words import split_into_word_set

HEADING_TAGS = split_into_word_set("h1 h2 h3 h4 h5 h6")
# Elements besides headings and cells that begin a line of their own.
BLOCK_TAGS = split_into_word_set("""
    address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure
    footer form header hr html li main nav ol p pre section summary table tbody tfoot thead tr ul
""")
# Takes half a second to parse; browsers stop at 512.
MAX_PAGE_DEPTH = 20_000
_TAG = re.compile(r"<(/?)([a-z][^\s/>]*)[^<>]*?(/?)>", re.IGNORECASE)
# Declarations inside a document type, which HTML does not know: the rest of them would be text.
_DOCTYPE_SUBSET = re.compile(
    r"(\A\s*(?:<\?xml[^>]{0,200}\?>\s*)?<!doctype\s[^<>\[\]]{0,500})\[[^\]]{0,100000}\]\s*>", re.IGNORECASE
)
_EMPTY_TAGS = split_into_word_set(
    "area base br col embed frame hr img input keygen link meta param source track wbr"
)
# Tags that close an open element of the same kind, unless a list or table in it contains the new one.
_IMPLICITLY_CLOSED_TAGS = split_into_word_set("dd dt li optgroup option tbody td tfoot th thead tr")
_HOLDER_TAGS = split_into_word_set("dl ol select table ul")
_TAGS_ENDING_PARAGRAPH = split_into_word_set("""
    address article aside blockquote center details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6
    header main nav ol p pre section table ul
""")


def build_page_tree(page: str) -> LexborHTMLParser:
    """Return the page as a tree. Raises InvalidInput `too_deep` and `too_large_to_parse`."""
    # Most pages have fewer tags than the limit and need no scan.
    if page.count("<") > MAX_PAGE_DEPTH and _are_tags_nested_deeper_than(page, MAX_PAGE_DEPTH):
        raise parse_errors.build_too_deep_error(MAX_PAGE_DEPTH)
    try:
        return LexborHTMLParser(_DOCTYPE_SUBSET.sub(r"\1>", page, count=1))
    except SelectolaxError:
        # Any bytes can be parsed as HTML, so this is lack of memory, for example if open fonts repeat.
        raise parse_errors.build_too_large_to_parse_error() from None


def _are_tags_nested_deeper_than(page: str, max_depth: int) -> bool:
    """Return whether elements are nested deeper than the limit, judged by tags only."""
    open_tags: list[str] = []
    open_count_by_tag: Counter[str] = Counter()

    def close(tag: str) -> None:
        while open_count_by_tag[tag]:
            last_tag = open_tags.pop()
            open_count_by_tag[last_tag] -= 1
            if last_tag == tag:
                return

    for match in _TAG.finditer(page):
        is_end_tag, tag, is_self_closing = match[1], match[2].lower(), match[3]
        if is_end_tag:
            close(tag)
        elif tag not in _EMPTY_TAGS and not (
            is_self_closing and (open_count_by_tag["svg"] or open_count_by_tag["math"])
        ):
            ended_tag = (
                "p" if tag in _TAGS_ENDING_PARAGRAPH else tag if tag in _IMPLICITLY_CLOSED_TAGS else None
            )
            if (
                ended_tag
                and open_count_by_tag[ended_tag]
                and not _is_container_opened_after(open_tags, ended_tag)
            ):
                close(ended_tag)
            open_tags.append(tag)
            open_count_by_tag[tag] += 1
            if len(open_tags) > max_depth:
                return True
    return False


def _is_container_opened_after(open_tags: list[str], tag: str) -> bool:
    """Return whether a list or table was opened after the last of these tags."""
    innermost_tag = next(
        open_tag for open_tag in reversed(open_tags) if open_tag == tag or open_tag in _HOLDER_TAGS
    )
    return innermost_tag != tag
