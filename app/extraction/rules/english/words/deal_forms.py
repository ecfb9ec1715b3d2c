"""Sentence forms for deals among companies, products and systems that ended or never came about.

The forms are those of `change_forms.py`, with some additional words.
"""

from app.domain.relation_types import (
    DEPRECATES,
    INTEGRATES_WITH,
    LOCATED_IN,
    OWNS,
    PART_OF,
    PROVIDES,
    USES,
    WORKS_FOR,
)
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.words.sentence_form import Change, StatedEnds, UnresolvedRelation

FORM_WORDS_OF_DEALS: dict[str, str] = {
    "DEAL": "(?:acquisition|takeover|take-over|purchase|buyout|buy-out|merger|bid|offer|deal)",
    "PURCHASE": "(?:acquisition|takeover|take-over|purchase|buyout|buy-out)",
    "DONE": "(?:completed|concluded|finalised|finalized)",
    "BUY": "(?:acquire|buy|purchase|take over|merge with)",
    "FELL": "(?:(?:has |had )?(?:fell|fallen) (?:through|apart)|(?:has |had )?collapsed|(?:has |had )?failed"
    "|came to nothing|(?:was|were|has been|had been) (?:called off|cancelled|canceled|abandoned|blocked"
    "|scrapped|aborted|terminated|rejected|withdrawn|dropped|shelved|prohibited|vetoed|never completed"
    "|not completed)|never (?:closed|happened|went through|went ahead|materialised|materialized)"
    "|did not (?:go through|go ahead|close|happen|take place))",
    "UNDO": "(?:called off|abandoned|dropped|withdrew|scrapped|cancelled|canceled|gave up|shelved"
    "|walked away from|pulled out of|backed out of|terminated)",
    "FORBID": "(?:blocked|stopped|prohibited|vetoed|rejected|halted|prevented|thwarted)",
    "REFUSE": "(?:rejected|turned down|fended off|rebuffed|spurned|refused)",
    "LICENCE": "(?:licen[cs]es?|subscriptions?|memberships?|contracts?|agreements?|partnerships?|deals?)",
    "UNRENEWED": "(?:did not renew|has not renewed|didn't renew|didn’t renew|never renewed|failed to renew"
    "|declined to renew|decided not to renew|chose not to renew)",
    "DISCONTINUED": "(?:discontinued|sunset|sunsetted|axed|withdrew|killed off|pulled the plug on"
    "|stopped (?:making|selling|producing|offering|manufacturing|shipping|building|providing)"
    "|(?:ceased|ended|halted) (?:the )?(?:production|sales?|manufacture|manufacturing) of)",
    "REMOVED": "(?:dropped|removed|ended|discontinued|withdrawn|terminated|phased out)",
    "VERSION": "(?:version|release)",
    "SWITCHED": "(?:switched|migrated|moved|changed|transitioned)(?: over)?",
    "REMOVES": "(?:drops|dropped|removes|removed|ends|ended|discontinues|discontinued|withdrew|axed)",
    "OFF": "(?:decommissioned|retired|switched off|turned off|uninstalled|taken out of service|taken offline"
    "|phased out)",
    "CLOSES": "(?:(?:has |had )?(?:closed|shut down|shut)|(?:was|were|has been|have been|had been)"
    " (?:closed|shut down|shut|vacated|given up|abandoned|wound up))",
    "SPUN": "(?:spun off|spun out|split off|carved out|demerged|hived off)",
    "CUSTOMER": "(?:customer|client|subscriber|account)",
}

_FORMS_OF_FALLEN_DEAL = """
    {a} 'S ANYDEAL (?:of|for|with|to BUY) {b} FELL
    the ANYDEAL (?:of|for) {b} by {a} FELL
    {a} HASUNDO (?:its|the|their|a) ANYDEAL (?:of|for|with|to BUY) {b}
    {a} HASUNDO (?:its |the |their )?plans? to BUY {b}
    {a} HAS(?:failed|decided not|chose not|declined|was unable|was not allowed) to BUY {b}
    FORBID {a} 'S ANYDEAL (?:of|for|with) {b}
    {b} HASREFUSE (?:a|an|the) ANYDEAL (?:by|from|of) {a}
"""
_FORMS_OF_FALLEN_DEAL_OF_PAIR = """
    the ANYDEAL (?:between|of) {pair} FELL
    {pair} HASUNDO (?:the|their) ANYDEAL
"""
_FORMS_OF_UNRENEWED_LICENCE = """
    {a} UNRENEWED (?:its|the|their|a) ANYLICENCE (?:with|for|to|of) {b}
    {a} UNRENEWED (?:its|the|their|a) {b} LICENCE
    {a} 'S ANYLICENCE (?:with|for|to|of) {b} WAS (?:not|never) renewed
"""
_FORMS_OF_ENDED_LICENCE = """
    {a} 'S ANYLICENCE (?:with|for|to|of) {b} (?:has |had )?OVER
    {a} 'S {b} LICENCE (?:has |had )?OVER
    {a} HASENDED (?:its|their|the|a) ANYLICENCE (?:for|to|of|with) {b}
    {a} HAS(?:ENDED|gave up|dropped) (?:its|their|the) {b} LICENCE
    {a} HASlet (?:its|their|the) ANYLICENCE (?:with|for|to|of) {b} (?:lapse|expire|run out)
    {b} HASlost {a} as (?:a |an )?ANYCUSTOMER
    {b} HASlost (?:its|the) ANYCUSTOMER {a}
"""
_FORMS_OF_ENDED_LICENCE_OF_PAIR = """
    the ANYLICENCE between {pair} (?:has |had )?OVER
    {pair} HASENDED (?:their|the) ANYLICENCE
"""
_ENDED_USE_CLAIMS = (("a", USES, "b", False), ("b", PROVIDES, "a", False), ("a", WORKS_FOR, "b", False))
_DENIED_OWNERSHIP = ("a", OWNS, "b", False)


def _build_changes(*forms_and_claims: tuple[str, tuple[StatedEnds, ...]]) -> tuple[Change, ...]:
    return tuple(
        Change(form.strip(), claims)
        for forms, claims in forms_and_claims
        for form in forms.strip().split("\n")
    )


REVERSALS = _build_changes(
    (_FORMS_OF_FALLEN_DEAL, (_DENIED_OWNERSHIP,)),
    (_FORMS_OF_FALLEN_DEAL_OF_PAIR, (_DENIED_OWNERSHIP, ("b", OWNS, "a", False))),
    (_FORMS_OF_UNRENEWED_LICENCE, _ENDED_USE_CLAIMS),
    (
        """
        {a} (?:has no|no longer has (?:a|an|any)) (?:\\S+ ){0,2}SITE in {m}
        """,
        (("a", LOCATED_IN, "m", False),),
    ),
)
"""Forms that contain words of doubt themselves: no other word of the sentence may cast doubt on them or
revive the deal.
"""
REVIVING_WORDS = split_into_word_set(
    "but however eventually later revived resumed reinstated again until unless"
)

DEALS = _build_changes(
    (_FORMS_OF_ENDED_LICENCE, _ENDED_USE_CLAIMS),
    (_FORMS_OF_ENDED_LICENCE_OF_PAIR, (("a", USES, "b", False), ("b", USES, "a", False))),
    (
        """
        support for {b} (?:WAS|were) REMOVED WHEN(?:in|from|with|by|as of) (?:VERSION \\S+ of )?{a}
        {a} HASREMOVES ANYsupport for {b}
        REMOVES support for {b} (?:from|in|with) (?:VERSION \\S+ of )?{a}
        """,
        (("a", INTEGRATES_WITH, "b", False),),
    ),
    (
        """
        support for {b} WAS (?:added|introduced) WHEN(?:to|in) {a}
        {a} HAS(?:added|adds|gained|gains|introduced) ANYsupport for {b}
        (?:added|adds) ANYsupport for {b} (?:to|in) (?:VERSION \\S+ of )?{a}
        """,
        (("a", INTEGRATES_WITH, "b", True),),
    ),
    (
        """
        {a} HASDONE (?:its|the) ANYPURCHASE of {b}
        the ANYPURCHASE of {b} by {a} WAS DONE
        {a} 'S ANYPURCHASE of {b} WAS DONE
        """,
        (("a", OWNS, "b", True),),
    ),
    (
        """
        {a} HASDISCONTINUED {b}
        {b} WAS (?:discontinued|sunset|sunsetted|axed|withdrawn(?: from sale)?|killed off) WHENby {a}
        """,
        (("a", DEPRECATES, "b", True), ("a", PROVIDES, "b", False)),
    ),
    (
        """
        {a} HAS(?:switched off|turned off|uninstalled|unplugged|ripped out) {b}
        {b} WAS OFF WHEN(?:at|by|across) {a}
        """,
        (("a", USES, "b", False),),
    ),
    (
        """
        {m} SITE of {a} CLOSES
        {a} 'S {m} SITE CLOSES
        {a} 'S SITE in {m} CLOSES
        {a} HASSHUT (?:its|their|the) {m} SITE
        """,
        (("a", LOCATED_IN, "m", False),),
    ),
    (
        """
        {a} HAS(?:opened|opens) (?:its|a|an|their|another) (?:\\S+ ){0,3}SITE in {m}
        {a} HAS(?:opened|opens) (?:its|a|their|another) {m} SITE
        """,
        (("a", LOCATED_IN, "m", True),),
    ),
    (
        """
        {b} WAS SPUN WHEN(?:from|out of|of|by) {a}
        {a} HASSPUN {b}
        """,
        (("a", OWNS, "b", False), ("b", PART_OF, "a", False)),
    ),
    (
        """
        {a} HAS(?:replaces|replaced) {b} with {c}
        {a} HAS(?:swaps|swapped) {b} for {c}
        """,
        (("a", UnresolvedRelation.RUNS, "b", False), ("a", UnresolvedRelation.RUNS, "c", True)),
    ),
    (
        """
        {c} HAS(?:replaced|superseded) {b} WHEN(?:at|across|within) {a}
        {b} WAS (?:replaced|superseded) WHEN(?:by|with) {c} WHEN(?:at|across|within) {a}
        at {a} , {c} HAS(?:replaced|superseded) {b}
        at {a} , {b} WAS (?:replaced|superseded) WHEN(?:by|with) {c}
        """,
        (
            ("a", UnresolvedRelation.RUNS, "b", False),
            ("a", UnresolvedRelation.RUNS, "c", True),
            ("c", UnresolvedRelation.SUPPLANTS, "b", True),
        ),
    ),
    (
        """
        {b} (?:became|becomes|has become) ANYindependent (?:of|from) {a}
        """,
        (("b", PART_OF, "a", False),),
    ),
    (
        """
        {b} 'S (?:\\S+ ){0,2}(?:customers|clients|subscribers) include {a}
        {b} counts {a} (?:among|as one of) its ANY(?:customers|clients|subscribers)
        """,
        (("a", USES, "b", True),),
    ),
    (
        """
        ^(?:WHEN,? ?)?(?:[^@\\s]+ ){1,6}SWITCHED WHENfrom {b} to {c}
        """,
        (("c", UnresolvedRelation.SUPPLANTS, "b", True),),
    ),
) + tuple(
    # "The Lisbon office will close in 2030": the date is not the date of the location.
    change._replace(is_dated=False)
    for change in _build_changes(
        (
            """
            (?<!former )(?<!planned )(?<!new ){m} SITE of {a}
            {a} 'S {m} SITE
            """,
            (("a", LOCATED_IN, "m", True),),
        )
    )
)

SIGNS_OF_NO_DEAL = split_into_word_set("""
    fell fallen collapsed failed nothing called cancelled canceled abandoned blocked scrapped aborted
    terminated rejected withdrawn dropped drops removes shelved prohibited vetoed never not didn't didn’t
    withdrew gave walked pulled backed declined unable stopped halted prevented thwarted turned fended
    rebuffed spurned refused renewed renew renewal longer no ended ends expired expire ran run lapsed
    lapse dissolved lost severed quit discontinued discontinues sunset sunsetted axed killed ceased
    decommissioned retired switched uninstalled unplugged ripped taken phased closed shut vacated given
    wound spun carved split demerged hived independent replaced replaces superseded swapped swaps
""")
"""Every quote that such a form denies contains one of these."""
SIGNS_OF_DEALS = SIGNS_OF_NO_DEAL | split_into_word_set("""
    office offices branch plant factory site warehouse store decided chose support let opened opens
    include counts completed concluded finalised finalized migrated moved changed transitioned
""")
"""Every sentence that matches a form contains one of these."""
