"""Sentence forms for successions (see `change_forms.py`)."""

import re

from app.domain.relation_types import REPLACES, WORKS_FOR
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.words.sentence_form import Change, UnresolvedRelation, build_changes

FORM_WORDS_OF_SUCCESSIONS: dict[str, str] = {
    # An aside between commas: "Ann Lee, a lawyer, replaced".
    "SETAPART": "(?:, (?:[^,\\s]+ ){1,8}, )?",
    "FOLLOWED": "(?:succeeded|succeeds|replaced|replaces|followed|(?:took|takes|taken) over from"
    "|(?:took|takes|taken) the place of)",
    "PUSHEDOUT": "(?:replaced|succeeded|followed)",
    "TOFOLLOW": "(?:succeed|replace|take over from|take the place of|be succeeding|be replacing)",
    "INPLACEOF": "(?:to replace|to succeed|to take over from|replacing|succeeding|in place of"
    "|in succession to)",
    "CALLEDTO": "(?:chosen|picked|selected|named|appointed|elected|hired|recruited|brought in) to",
    "GONE": "(?:left|resigned|retired|stepped down|stood down|died|quit|departed"
    "|was (?:fired|sacked|dismissed|ousted|removed))",
    "HERE": "(?= ?(?:[.,;:)!]|$|(?:in|on|as|after|when|and|since|from|at|this|last|by|because|before) ))",
    "PARTOFIT": "of (?:the )?(?:[a-z&-]+ ){1,3}(?:department |team |division |unit )?(?:at|for|with|in)",
    "NAMED": "(?:appointed|named|hired|promoted|elected|chose|picked|announced|installed|brought in"
    "|recruited)",
    "UNTILTHEN": "(?!now |currently |formerly |later )",
    "OWNPLACE": "(?:his|her|their) (?:place|post|job)",
    "TAKENUP": "(?:taken over|taken up|taken|takes|took|filled)",
    "HEIR": "(?:successor|replacement)",
}

_OFFICE_CLAIMS = (
    ("x", UnresolvedRelation.OFFICE, "o", False),
    ("y", UnresolvedRelation.OFFICE, "o", True),
    ("y", REPLACES, "x", True),
)
_JOB_CLAIMS = (("x", WORKS_FOR, "o", False), ("y", WORKS_FOR, "o", True), ("y", REPLACES, "x", True))
_APPOINTMENT_CLAIMS = (("y", UnresolvedRelation.OFFICE, "o", True), ("y", REPLACES, "x", True))

# The organization of a post follows.
_OF_FIRM = (
    ("WHENas OFFICE (?:of|at|for) {o}", _OFFICE_CLAIMS),
    ("WHENas OFFICE PARTOFIT {o}", _JOB_CLAIMS),
    ("WHENat {o}HERE", _JOB_CLAIMS),
)

SUCCESSIONS: tuple[Change, ...] = (
    *build_changes(
        """
        {x} (?:'S )?successor (?:as OFFICE )?(?:WAS|will be) {y}
        {y} (?:is|will be|WAS CHOSEN) (?:as )?{x} (?:'S )?HEIR
        """,
        ("y", REPLACES, "x", True),
    ),
    *build_changes(
        """
        {x} (?:'S )?predecessor (?:as OFFICE )?WAS {y}
        {y} was {x} (?:'S )?predecessor
        """,
        ("x", REPLACES, "y", True),
    ),
    *(
        row
        for firm_phrase, claims in _OF_FIRM
        for row in build_changes(
            f"""
            {{x}} SETAPARTWAS LATERPUSHEDOUT {firm_phrase} WHENby {{y}}
            {{x}} SETAPARTWAS LATERPUSHEDOUT WHENby {{y}} ,? ?SETAPART{firm_phrase}
            {{y}} SETAPARTHASLATERFOLLOWED {{x}} ,? ?SETAPART{firm_phrase}
            """,
            *claims,
        )
    ),
    *(
        row
        for firm_phrase, claims in _OF_FIRM
        for row in build_changes(
            f"""
            {{y}} SETAPART(?:will|shall) TOFOLLOW {{x}} ,? ?SETAPART{firm_phrase}
            {{x}} SETAPARTwill be PUSHEDOUT {firm_phrase} WHENby {{y}}
            {{x}} SETAPARTwill be PUSHEDOUT WHENby {{y}} {firm_phrase}
            {{y}} is (?:succeeding|replacing|taking over from) {{x}} {firm_phrase}
            """,
            *claims,
            needs_date=True,
        )
    ),
    *(
        row
        for firm_phrase, claims in _OF_FIRM
        for row in build_changes(
            f"""
            {{y}} SETAPARTWAS CALLEDTO TOFOLLOW {{x}} ,? ?SETAPART{firm_phrase}
            """,
            *claims[1:],
        )
    ),
    *build_changes(
        """
        {y} (?:BECAME|WAS CHOSEN) (?:as |to )?NOSEATOFFICE (?:of|at|for) {o} WHEN,? ?INPLACEOF {x}
        {y} (?:BECAME|WAS CHOSEN) (?:as |to )?NOSEATOFFICE (?:of|at|for) {o} WHENfrom {x}
        {y} (?:BECAME|WAS CHOSEN) (?:as |to )?NOSEATOFFICE (?:of|at|for) {o} WHEN(?:after|when) {x} GONE
        {o} HASNAMED {y} WHEN(?:as |to be )?OFFICE(?: WHEN,?| ,)? ?INPLACEOF {x}
        {o} HASNAMED {y} WHEN,? ?INPLACEOF {x} WHENas OFFICE
        {o} HAS(?:replaced|replaces) {x} WHENwith {y} WHENas OFFICE
        {x} 'S (?:job|post|role|position|office|seat|place) as OFFICE (?:of|at|for) {o} WAS TAKENUP WHENby {y}
        {o} HAS(?:replaced|replaces) {x} WHENwith {y}
        {o} HAS(?:replaced|replaces) {x} WHENas OFFICE with {y}
        {x} , UNTILTHENOFFICE (?:of|at|for) {o} WHEN, WAS LATERPUSHEDOUT WHENby {y}
        INPLACEOF {x} ,? ?{y} (?:BECAME|WAS CHOSEN) WHEN(?:as |to )?NOSEATOFFICE (?:of|at|for) {o}
        """,
        *_OFFICE_CLAIMS,
    ),
    *build_changes(
        """
        {x} HAS(?:left|quit|resigned from|retired from) {o} WHEN[;,]? ?(?:and )?{y} HASTAKENUP OWNPLACE
        at {o} ,? ?{y} HASLATERFOLLOWED {x}
        at {o} ,? ?{x} WAS LATERPUSHEDOUT WHENby {y}
        {o} HASNAMED {y} WHEN,? ?INPLACEOF {x}
        """,
        *_JOB_CLAIMS,
    ),
    *build_changes(
        """
        {y} (?:is|WAS NAMED|WAS CHOSEN) (?:as )?{x} (?:'S )?HEIR WHENas OFFICE (?:of|at|for) {o}
        {o} HASNAMED {y} WHEN(?:as )?{x} (?:'S )?HEIR WHENas OFFICE
        {o} HASNAMED {y} WHEN(?:as )?(?:the |a )?HEIR (?:to|of|for) {x} WHENas OFFICE
        """,
        *_APPOINTMENT_CLAIMS,
    ),
    *build_changes(
        """
        {o} HASNAMED {y} WHEN(?:as )?{x} (?:'S )?HEIR
        {o} HASNAMED {y} WHEN(?:as )?(?:the |a )?HEIR (?:to|of|for) {x}
        """,
        ("y", WORKS_FOR, "o", True),
        ("y", REPLACES, "x", True),
    ),
)
"""The first matching form applies. A temporary substitute ends nothing."""
SIGNS_OF_SUCCESSIONS = split_into_word_set("""
    successor predecessor replacement replaced replaces replace replacing succeeded succeeds succeed
    succeeding took takes take taken taking stepped followed from after place succession
""")
"""Every sentence about a succession contains one of these."""
TEMPORARY_REPLACEMENT = re.compile(
    r"\b(?:temporarily|for the time being|on an? (?:interim|acting|temporary|provisional) basis"
    r"|(?:during|for the duration of) (?:his|her|their) |while (?:he|she|they|@\d+) )"
)
"""Words for a temporary replacement."""
WORDS_BEFORE_SUCCEEDED_NAME = re.compile(
    r"\b(?:succeed(?:s|ed|ing)?|replac(?:e|es|ed|ing)|(?:takes?|took|taken|taking) (?:over from|the place of)"
    r"|(?:stand|stands|stood|standing|fill|fills|filled|filling) in for"
    r"|(?:cover|covers|covered|covering|deputi[sz]ed|deputi[sz]es|substituted) for)$"
)
"""Words right before a name that assign the office after the name, "as head of", to the successor."""
