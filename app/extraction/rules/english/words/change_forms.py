"""Sentence forms for changes of ownership and position, as data: a form with its names, and its claims.

In a form `{a}` is a name (`{pair}` two names joined by "and"), a word in capitals one of `FORM_WORDS`. A
claim is (source, relation, target, held): `office` is the post that the matched words of OFFICE name; a claim
that is not `held` is denied.
"""

from app.domain.relation_types import (
    HEAD_OF,
    HEADQUARTERED_IN,
    LOCATED_IN,
    MARRIED_TO,
    OWNS,
    PART_OF,
    PROVIDES,
    USES,
    WORKS_FOR,
)
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.words.sentence_form import Change, UnresolvedRelation, build_changes

FORM_WORDS: dict[str, str] = {
    "OFFICE": "(?:(?:the|its|his|her|a|an|their|new|next|interim|acting|then|current) )*"
    "(?P<office>(?:(?!of |at |as |to )[a-z][a-z-]* ){0,3}(?!of |at |as |to )[a-z][a-z-]*)",
    "NOSEAT": "(?!(?:(?:the|a|an) )?(?:member|minister|secretary) of )",
    "WHEN": r"(?:(?:in|on|during|by|since|last|this|at the end of) (?:[a-z]+ )?"
    r"(?:\d[\w.-]* (?:[a-z]+ )?|[a-z]+ \d[\w.,-]* )?(?:, )?(?:\d{4} )?(?:, )?)?",
    "HAS": "(?:has |had |have )?",
    "WAS": "(?:was|is|has been|had been)",
    "LATER": "(?:later |then |eventually |subsequently |finally |officially )?",
    "ANY": r"(?:\S+ ){0,2}",
    "'S": "(?:'s|’s|'|’)",
    "BECAME": "(?:became|becomes|took over as|takes over as|took office as"
    "|(?:has )?(?:took|taken|takes) up (?:the |his |her )?(?:post|role|position|job|office) (?:of|as))",
    "APPOINTED": "(?:appointed|named|hired|promoted|elected|re-elected|chose|picked)",
    "CHOSEN": "(?:appointed|named|elected|re-elected|made|chosen|promoted|sworn in)",
    "DISMISSED": "(?:dismissed|fired|sacked|ousted|removed|suspended|laid off|let go"
    "|part(?:ed|s) (?:ways|company) with)",
    "FORMER": "(?:former|ex|onetime|one-time|erstwhile|then|late|ousted|retired)",
    "LEAVES": "(?:leaves|has left|departed from|walked out of|quits)",
    "PARTED": "(?:divorced|separated|split up|split|broke up|parted"
    "|(?:were|are|got|have been) (?:now )?(?:divorced|separated))",
    "SPOUSE": r"(?:his|her|@\d+) (?:first |second |third |former )?(?:wife|husband|spouse)",
    "OVER": "(?:ended|expired|ran out|lapsed"
    "|(?:was|has been|had been|is) (?:terminated|ended|cancelled|canceled|dissolved|not renewed))",
    "BOUGHT": "(?:bought|acquired|purchased|took over)",
    "SOLD": "(?:sold|resold|selling|divested|spun off)",
    "UNIT": "(?:it|them|the (?:company|firm|business|unit|brand|subsidiary|club|brewery|hotel|paper|bank))",
    "STAKE": r"(?:all )?(?:of )?(?:its|their|his|her) (?:\S+ ){0,2}(?:stake|shares?|interest|holding) in",
    "CLOSED": "(?:completed|concluded|closed|finalised|finalized)",
    "ENDED": "(?:terminated|ended|cancelled|canceled|quit|dissolved|severed|did not renew)",
    "AGREEMENT": "(?:contract|agreement|partnership|deal|subscription|cooperation|collaboration)s?",
    "MOVED": "(?:moved|relocated|transferred|shifted) (?:its|their|the)",
    "SEAT": "(?:headquarters|head offices?|main office|seat|hq|base|registered office)",
    "INTOONE": "(?:into|to form|to become|to create|and became|forming|creating)",
    "OUTOF": "(?:by|from|through|out of|in|after)",
    "HANDED": "(?:handed|passed|turned|gave|given)",
    "HELM": "(?:leadership|chair|chairmanship|presidency|helm|reins|running|management)",
    "TRADER": "(?:supplier|provider|vendor|bank|auditor|contractor|carrier|distributor|host|insurer)",
    "SHUT": "(?:closed|shut down|shut|gave up|vacated)",
    "SITE": "(?:offices?|branch|plant|factory|site|warehouse|store)",
}


CHANGES: tuple[Change, ...] = (
    *build_changes(
        """
        {o} HASAPPOINTED {y} WHEN(?:as |to be |to )?OFFICE
        {y} WAS CHOSEN WHEN(?:as |to )?OFFICE (?:of|at|for) {o}
        {y} BECAME OFFICE (?:of|at|for) {o}
        """,
        ("y", UnresolvedRelation.OFFICE, "o", True),
    ),
    *build_changes(
        """
        {o} (?:HAS|'s board |board )DISMISSED {x}
        {o} (?:HAS|'s board |board )DISMISSED OFFICE {x}
        {x} LEAVES {o}
        {o} (?:accepted|announced) the (?:resignation|dismissal|departure|retirement) of {x}
        """,
        ("x", WORKS_FOR, "o", False),
    ),
    *build_changes(
        """
        FORMER {o} (?:'S )?OFFICE {x}
        FORMER OFFICE (?:of|at) {o} ,? ?{x}
        {x} , (?:then|at the time|formerly|once) (?:the )?OFFICE (?:of|at) {o}
        {x} , (?:a |an |the )?FORMER {o} (?:'S )?OFFICE
        """,
        ("x", UnresolvedRelation.OFFICE, "o", False),
        is_dated=False,
    ),
    *build_changes(
        """
        {pair} LATERHASPARTED
        the (?:marriage|union) (?:of|between) {pair} OVER
        {pair} ended their marriage
        {pair} (?:'S )?(?:marriage|union) OVER
        {a} and SPOUSE ,? ?{b} ,? ?HASPARTED
        {a} (?:HAS|LATER)(?:divorced|separated from|split from|split up with) SPOUSE ,? ?{b}
        {a} 'S marriage (?:to|with) {b} OVER
        {a} ended (?:his|her) marriage (?:to|with) {b}
        {a} HAS(?:got|was granted|obtained) (?:a )?divorced? from {b}
        """,
        ("a", MARRIED_TO, "b", False),
    ),
    *build_changes(
        """
        {pair} (?:are|were|got|have been|had been) (?:now )?married
        {pair} LATER(?:married|wed)(?: each other)? WHEN[.,]
        """,
        ("a", MARRIED_TO, "b", True),
    ),
    *build_changes(
        """
        {a} HASBOUGHT {b} ,? ?WHEN,? ?(?:and|but|before|then) LATERSOLD UNIT (?:on |again )?WHENto {c}
        """,
        ("a", OWNS, "b", True),
        ("a", OWNS, "b", False),
        ("c", OWNS, "b", True),
    ),
    *build_changes(
        """
        {a} HASBOUGHT {b} ,? ?WHEN,? ?(?:and|but|before|then) LATERSOLD UNIT
        """,
        ("a", OWNS, "b", True),
        ("a", OWNS, "b", False),
    ),
    *build_changes(
        """
        {a} HAS(?:sold|divested|transferred) STAKE {b} WHENto {c}
        {a} HASCLOSED the sale of {b} to {c}
        {a} HASsold {b} WHEN(?:off )?to {c}
        {b} ,? ?which {a} LATERHAS(?:later )?(?:sold|resold) (?:off )?WHENto {c}
        {b} WAS (?:sold|transferred) WHENby {a} WHENto {c}
        {b} WAS (?:sold|transferred) WHENto {c} WHENby {a}
        {c} HAS(?:bought|acquired|purchased) {b} WHENfrom {a}
        {b} WAS (?:bought|acquired|purchased) WHENby {c} WHENfrom {a}
        {b} WAS (?:bought|acquired|purchased) WHENfrom {a} WHENby {c}
        """,
        ("a", OWNS, "b", False),
        ("c", OWNS, "b", True),
    ),
    *build_changes(
        "{c} HAStook over {b} WHENfrom {a}",
        ("a", UnresolvedRelation.TAKES_OVER, "b", False),
        ("c", UnresolvedRelation.TAKES_OVER, "b", True),
    ),
    *build_changes(
        """
        {a} HAS(?:sold|divested|gave up) STAKE {b}
        {a} HASCLOSED the sale of {b}
        """,
        ("a", OWNS, "b", False),
    ),
    *build_changes(
        """
        {a} HASENDED (?:its|the|their|a|all) ANYAGREEMENT with {b}
        {a} 'S ANYAGREEMENT with {b} OVER
        """,
        ("a", USES, "b", False),
        ("a", WORKS_FOR, "b", False),
    ),
    *build_changes(
        """
        {a} HASMOVED ANYSEAT WHENfrom {m} WHENto {n}
        {a} 'S ANYSEAT (?:WAS |HAS)(?:moved|relocated|transferred) WHENfrom {m} WHENto {n}
        """,
        ("a", HEADQUARTERED_IN, "m", False),
        ("a", HEADQUARTERED_IN, "n", True),
    ),
    *build_changes(
        """
        {a} HASMOVED (?:\\S+ ){0,2}(?:SITE|production|staff) WHENfrom {m} WHENto {n}
        {a} 'S (?:\\S+ ){0,2}SITE (?:WAS |HAS)(?:moved|relocated|transferred) WHENfrom {m} WHENto {n}
        """,
        ("a", LOCATED_IN, "m", False),
        ("a", LOCATED_IN, "n", True),
    ),
    *build_changes(
        """
        {pair} (?:have |had )?merged WHEN,? ?INTOONE {n}
        {n} WAS (?:formed|created|established|born) WHENOUTOF (?:the|a) merger (?:of|between) {pair}
        {n} is the result of (?:the|a) merger (?:of|between) {pair}
        """,
        ("a", PART_OF, "n", True),
        ("b", PART_OF, "n", True),
    ),
    *build_changes(
        """
        {a} HASSWITCHED (?:its |their )?(?:\\S+ )?TRADERs? WHENfrom {b} WHENto {c}
        """,
        ("a", USES, "b", False),
        ("a", USES, "c", True),
    ),
    *build_changes(
        """
        {b} is no longer (?:the |a |an )?(?:\\S+ )?TRADER (?:of|to|for) {a}
        {b} is no longer {a} 'S (?:\\S+ )?TRADER
        """,
        ("a", USES, "b", False),
        ("b", PROVIDES, "a", False),
    ),
    *build_changes(
        """
        {x} HASHANDED (?:over )?(?:the |its )?HELM of {o} WHEN(?:over )?to {y}
        """,
        ("x", HEAD_OF, "o", False),
        ("y", HEAD_OF, "o", True),
    ),
    *build_changes(
        """
        {a} HASMOVED ANYSEAT WHENto {n}
        """,
        ("a", HEADQUARTERED_IN, "n", True),
        replaces_earlier=True,
    ),
    *build_changes(
        """
        {a} HASSHUT (?:its|their) ANYSITE in {m}
        """,
        ("a", LOCATED_IN, "m", False),
    ),
)
"""The first matching form applies."""

FORMS_OF_END: tuple[str, ...] = (
    "{person} (?:has |had )?(?:died|passed away)(?! (?:out|down|for|to) )",
    "{person} (?:was|were) (?:killed|murdered|assassinated|executed|beheaded|shot dead)",
    "{group} (?:has |have |had )?LATER(?:broke up|broken up|split up|disbanded|folded|ceased to exist"
    "|ceased operations|closed its doors|went out of business)",
    "{group} (?:was|were|has been|had been) LATER(?:disbanded|dissolved|wound up|liquidated|broken up"
    "|abolished)",
)
"""Forms with one name: the end of a life or of a group."""
SIGNS_OF_END = split_into_word_set("""
    died passed killed murdered assassinated executed beheaded shot broke broken split disbanded folded ceased
    closed went dissolved wound liquidated abolished
""")
"""Every sentence about such an end contains one of these."""
WORDS_OF_NEW_BEGINNING = split_into_word_set(
    "reunited reunite reunion reformed re-formed refounded revived resurrected reopened"
)
"""Words that exclude such an end."""
SIGNS_OF_CHANGE = split_into_word_set("""
    took takes appointed named hired promoted elected re-elected
    chose picked became becomes made chosen sworn dismissed fired sacked ousted removed suspended laid let
    parted parts former ex onetime one-time erstwhile then late retired formerly once time leaves leaving
    left departed walked quits accepted announced divorced separated split broke ended marriage union
    divorce married wed sold resold selling divested spun transferred sale bought acquired purchased
    switched changed longer merged merger handed passed turned gave
    contract agreement partnership deal subscription contracts agreements partnerships deals subscriptions
    cooperation collaboration moved relocated shifted closed shut gave vacated
""")
"""Every sentence about a change contains one of these; others are skipped after one look-up."""
HEAD_TITLES = split_into_word_set("""
    ceo cto cfo coo chairman chairwoman chairperson chair president director chief head mayor governor premier
    chancellor minister king queen captain principal dean rector boss leader bishop
    co-ceo co-head co-chair co-director co-president
""")
"""An OFFICE with one of these words leads its organization."""
HONOUR_TITLES = split_into_word_set("chevalier knight commander companion dame citizen laureate")
"""Honours that are not posts."""
MEMBER_TITLES = split_into_word_set("member fellow")
DEPUTY_WORDS = split_into_word_set("vice deputy assistant vice-president deputy-director")
"""An OFFICE with one of these words does not lead its organization."""
