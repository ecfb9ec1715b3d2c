"""Rows as binary COPY takes them, made from columns: a million rows cost no object each. Pure."""

from collections.abc import Sequence

import numpy as np

from app.communities.plan import CommunityRows, MemberRows

# Signature, flags, no extension; each row says its columns and each value its bytes.
_HEADER, _TRAILER = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
_MEMBER = np.dtype(
    [("columns", ">i2"), ("a", ">i4"), ("node", ">u8", 2), ("b", ">i4"), ("community", ">u8", 2), ("c", ">i4"),
     ("weight", ">f4"), ("d", ">i4"), ("fresh", "?")]
)  # fmt: skip
_COMMUNITY = np.dtype(
    [("columns", ">i2"), ("a", ">i4"), ("id", ">u8", 2), ("b", ">i4"), ("level", ">i2"), ("c", ">i4"),
     ("parent", ">u8", 2), ("d", ">i4"), ("members", ">i4"), ("e", ">i4"), ("weight", ">f8"), ("f", ">i4"),
     ("inner", ">f8"), ("g", ">i4"), ("content", ">u8", 2), ("h", ">i4"), ("fresh", "?")]
)  # fmt: skip


def copied_members(rows: MemberRows, part: slice) -> bytes:
    """These rows of (node uuid, community uuid, weight real, fresh boolean)."""
    made = np.empty(len(rows.nodes[part]), _MEMBER)
    made["columns"], made["a"], made["b"], made["c"], made["d"] = 4, 16, 16, 4, 1
    made["node"], made["community"] = rows.nodes[part], rows.communities[part]
    made["weight"], made["fresh"] = rows.weight[part], rows.fresh[part]
    return _HEADER + made.tobytes() + _TRAILER


def copied_communities(rows: CommunityRows, titles: Sequence[str], part: slice) -> bytes:
    """These rows of (id, level, parent or zeros, members, weight, inner weight, content, fresh, title)."""
    made = np.empty(len(rows.ids[part]), _COMMUNITY)
    made["columns"], made["a"], made["b"], made["c"], made["d"] = 9, 16, 2, 16, 4
    made["e"], made["f"], made["g"], made["h"] = 8, 8, 16, 1
    made["id"], made["level"], made["parent"] = rows.ids[part], rows.level[part], rows.parents[part]
    made["members"], made["weight"], made["inner"] = rows.members[part], rows.weight[part], rows.inner[part]
    made["content"], made["fresh"] = rows.contents[part], rows.fresh[part]
    raw, width = made.tobytes(), _COMMUNITY.itemsize
    fields = []
    for begin, title in zip(range(0, len(raw), width), titles[part], strict=True):
        written = title.encode()
        fields += [raw[begin : begin + width], len(written).to_bytes(4, "big"), written]
    return _HEADER + b"".join(fields) + _TRAILER
