"""Sentence forms for the beginning, end or continuation of a post (see `change_forms.py`)."""

import re

from app.domain.relation_types import MEMBER_OF, REPLACES, WORKS_FOR
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.english.words.sentence_form import Change, UnresolvedRelation, build_changes

_SEAT = "(?:his|her|their) (?:post|role|job|position|seat)"
_AT = "(?:at|with|for|in)"
_HIS = "(?:his|her|their)"
# The first name of the sentence, with no other name before the verb.
_FIRST_NAME_ALONE = r"^(?:[^@\s]\S* ){0,12}{x}(?: [^@\s]\S*){0,12}"
_TIME_WORD = "(?:at|in|on|by|next|this|after|before|when|once|soon|effective|as)"
_POST = (
    "(?:[a-z-]+ ){0,2}(?:contract|employment|tenure|term|job|role|position|post|internship|traineeship"
    "|apprenticeship|placement|probation|assignment|engagement|stint|service|time|fellowship|mandate)"
)
_TAKES = (
    "(?:takes over|took over|has taken over|steps in|stepped in"
    "|(?:succeeds|succeeded|replaces|replaced) (?:him|her|them))"
)
_OUT_OF = "(?:no longer|stepped down as|resigned as|retired as|stood down as|quit as|left as)"
_RESIGNATION = "(?:resignation|departure|dismissal|retirement|redundancy)"
_LEAVING = (
    "(?:(?:will|is to|is due to|is set to) (?:leave|depart|be leaving|(?:retire|resign|step down) from)"
    "|is (?:leaving|departing|(?:retiring|resigning|stepping down) from)"
    "|(?:retires|resigns|steps down|stands down) from)"
)
_STEPS_DOWN = (
    "(?:(?:will|is to|is due to|is set to) (?:step down|stand down|resign|retire|leave|be stepping down)"
    "|is (?:stepping down|standing down|resigning|retiring|leaving)"
    "|steps down|stands down|resigns|retires)"
)
_DISMISSED = "(?:dismissed|fired|sacked|let go|laid off|made redundant|ousted|discharged)"
_ENDED = "(?:is over|was over|came to an end|finished|was (?:not )?(?:extended|cut short))"
_ENDS = "(?:ends|expires|runs out|finishes|comes to an end|(?:will|is due to) (?:end|expire))"
_LASTS = "(?:runs|ran|lasts|lasted|was extended|is extended|was renewed) (?:until|till|to)"
_PROBATION = f"{_HIS} (?:[a-z-]+ ){{0,2}}(?:probation|trial)(?: period)?"
_FORM_OF_BE = "(?:is|was|has been|will be|goes|went)"
_KIND_OF_LEAVE = "(?:leave|sabbatical|secondment|loan)"
_MEMBERSHIP = f"{_HIS} membership (?:of|in|with)"
_ORG = "(?:it|them|the (?:firm|company|party|club|band|team))"
_JOINING = "(?:joining|moving to|going to|switching to)"

_HAS_QUIT = "(?:left|quit|departed|resigned from|departed from)"
_COMES_BACK = "(?:returned|gone back|went back|come back|came back)"
_GOES_OVER = (
    "(?:moved|switched|transferred|returned|gone back|went back|gone over|went over) (?:on |over )?to"
)

_LEFT_CLAIM = ("x", WORKS_FOR, "o", False)
_WORKS_CLAIM = ("x", WORKS_FOR, "o", True)

POST_CHANGES: tuple[Change, ...] = (
    *build_changes(
        rf"""
        {{x}} 'S (?:last|final) (?:working )?(?:day|shift|week) (?:of work )?{_AT} {{o}} was
        {_FIRST_NAME_ALONE} {_HIS} (?:last|final) (?:working )?day {_AT} {{o}} was
        {{x}} 'S {_POST} {_AT} {{o}} HAS(?:OVER|{_ENDED})
        {{o}} (?:did not|has not|declined to) (?:renew|renewed|extend|extended|prolong) {{x}} 'S {_POST}
        {{x}} (?:failed|did not (?:pass|complete)|has not passed) {_PROBATION} {_AT} {{o}}
        the {_POST} of {{x}} {_AT} {{o}} HAS(?:OVER|{_ENDED})
        {{x}} (?:took|has taken) (?:early |voluntary )?(?:retirement|redundancy) from {{o}}
        {{o}} HASlet {{x}} go
        {{x}} HASparted (?:ways|company) with {{o}}
        {{x}} and {{o}} HASparted (?:ways|company)
        {{o}} and {{x}} HASparted (?:ways|company)
        {{x}} HAS(?:lost|gave up|given up|left|quit) {_SEAT} {_AT} {{o}}
        {{x}} (?:had to leave|was forced (?:to leave|out of)|was made to leave) {{o}}
        {{x}} WAS {_DISMISSED} (?:[a-z-]+ ){{0,4}}(?:by|from) {{o}}
        following {_HIS} {_RESIGNATION} from {{o}} WHEN,? ?{{x}}
        (?:after|following|since|upon|with) {{x}} 'S {_RESIGNATION} from {{o}}
        (?:after|following|since|upon|with) the {_RESIGNATION} of {{x}} from {{o}}
        """,
        _LEFT_CLAIM,
    ),
    *build_changes(
        rf"""
        {{x}} 'S (?:last|final) (?:working )?(?:day|shift|week) (?:of work )?{_AT} {{o}} (?:is|will be)
        {{x}} 'S {_POST} {_AT} {{o}} {_ENDS}
        {{x}} {_LEAVING} {{o}}
        {_FIRST_NAME_ALONE} and {_LEAVING} {{o}}
        {{x}} (?:leaves|quits|departs) {{o}} {_TIME_WORD}
        """,
        _LEFT_CLAIM,
        needs_date=True,
    ),
    *build_changes(
        rf"""
        {{x}} 'S {_POST} as OFFICE (?:of|at|for) {{o}} HAS(?:OVER|{_ENDED})
        {{x}} HAS(?:lost|gave up|given up|left|quit|resigned) {_SEAT} as OFFICE (?:of|at|for) {{o}}
        {{x}} WAS (?:voted out|removed|ousted|recalled) WHENas OFFICE (?:of|at|for) {{o}}
        """,
        ("x", UnresolvedRelation.OFFICE, "o", False),
    ),
    *build_changes(
        rf"""
        {{x}} HAS(?:resigned|gave up|given up|cancelled|ended|renounced|did not renew) {_MEMBERSHIP} {{o}}
        {{x}} 'S membership (?:of|in|with) {{o}} HAS(?:OVER|{_ENDED}|was revoked)
        """,
        ("x", MEMBER_OF, "o", False),
    ),
    *build_changes(
        rf"""
        {{x}} HASstarted (?:work|working|{_HIS} (?:new )?job) {_AT} {{o}}
        {{x}} HASstarted {_AT} {{o}} WHENas
        """,
        _WORKS_CLAIM,
    ),
    *build_changes(
        rf"""
        {{x}} (?:starts|begins|will start|will begin) (?:work|working|{_HIS} (?:new )?job) {_AT} {{o}}
        {{x}} (?:starts|begins|will start|will begin) {_AT} {{o}} WHENas
        {{x}} (?:joins|will join|will be joining|is joining|is to join) {{o}}
        """,
        _WORKS_CLAIM,
        needs_date=True,
    ),
    *build_changes(
        rf"""
        {{x}} HAS(?:joined|worked for) {{o}} WHEN,? ?(?:and|but|before|then) LATER(?:left|quit|leaving) {_ORG}
        """,
        _WORKS_CLAIM,
        _LEFT_CLAIM,
    ),
    *build_changes(
        """
        {x} HAS(?:handed (?:over|the baton)|passed the baton) WHENto {y} WHENas OFFICE (?:of|at|for) {o}
        """,
        ("x", UnresolvedRelation.OFFICE, "o", False),
        ("y", UnresolvedRelation.OFFICE, "o", True),
        ("y", REPLACES, "x", True),
    ),
    *build_changes(
        rf"""
        {{x}} {_STEPS_DOWN} WHENas OFFICE (?:of|at|for) {{o}}
        """,
        ("x", UnresolvedRelation.OFFICE, "o", False),
        needs_date=True,
    ),
    *build_changes(
        rf"""
        {{x}} 'S {_POST} {_AT} {{o}} {_LASTS}
        """,
        _WORKS_CLAIM,
        needs_date=True,
    ),
    *build_changes(
        rf"""
        {{x}} {_FORM_OF_BE} (?:[a-z-]+ )?on (?:[a-z-]+ ){{0,3}}{_KIND_OF_LEAVE} from {{o}}
        {{x}} {_FORM_OF_BE} (?:[a-z-]+ )?seconded (?:WHEN)?from {{o}}
        {{x}} {_FORM_OF_BE} (?:[a-z-]+ )?seconded WHENto {{n}} WHENfrom {{o}}
        {{o}} HASseconded {{x}} to {{n}}
        {{x}} (?:passed|completed|has passed|has completed) {_PROBATION} {_AT} {{o}}
        """,
        _WORKS_CLAIM,
        is_dated=False,
    ),
    *build_changes(
        rf"""
        {_OUT_OF} OFFICE (?:of|at|for) {{o}} WHEN[;,.] (?:and )?{{y}} {_TAKES}
        """,
        ("y", UnresolvedRelation.OFFICE, "o", True),
    ),
    *build_changes(
        rf"""
        {_OUT_OF} OFFICE of (?:[a-z&-]+ ){{1,3}}(?:at|for|with) {{o}} WHEN[;,.] (?:and )?{{y}} {_TAKES}
        """,
        ("y", WORKS_FOR, "o", True),
    ),
    *build_changes(
        rf"""
        {{x}} (?:worked|used to work|was employed) {_AT} {{o}} WHENbefore {_JOINING} {{n}}
        """,
        _LEFT_CLAIM,
        ("x", WORKS_FOR, "n", True),
        is_dated=False,
    ),
    *build_changes(
        rf"""
        {{x}} HAS(?:WAS )?(?:moved|transferred|switched|gone|went|defected|jumped) WHENfrom {{o}} WHENto {{n}}
        {{x}} HAS{_HAS_QUIT} {{o}} WHENto (?:join|rejoin|work for|work at|move to) {{n}}
        {{x}} HAS{_COMES_BACK} to {{n}} WHENafter (?:[^@,.;]+ )?(?:at|with) {{o}}
        after (?:leaving|quitting) {{o}} WHEN,? ?{{x}} (?:joined|moved to|went to|switched to) {{n}}
        {{x}} (?:joined|moved to|went to|switched to) {{n}} WHENafter (?:leaving|quitting) {{o}}
        {{x}} (?:joined|has joined) {{n}} WHENfrom {{o}}
        """,
        _LEFT_CLAIM,
        ("x", WORKS_FOR, "n", True),
    ),
    *build_changes(
        rf"""
        {{x}} HAS{_HAS_QUIT} {{o}} WHENto (?:become|take over as) OFFICE (?:of|at|for) {{n}}
        """,
        _LEFT_CLAIM,
        ("x", UnresolvedRelation.OFFICE, "n", True),
    ),
    *build_changes(
        rf"""
        {{x}} HAS{_GOES_OVER} {{o}} WHENas (?:the |a |an |its )
        {{x}} HAS{_GOES_OVER} {{o}} WHENas OFFICE
        """,
        _WORKS_CLAIM,
    ),
    *build_changes(
        """
        {x} HASmoved on to {o}
        """,
        ("x", UnresolvedRelation.JOINS, "o", True),
    ),
    *build_changes(
        """
        {x} HAS(?:WAS )?promoted WHENfrom (?:[a-z-]+ ){1,4}to NOSEATOFFICE (?:of|at|for) {o}
        """,
        ("x", UnresolvedRelation.OFFICE, "o", True),
    ),
    *build_changes(
        """
        {x} HAS(?:WAS )?promoted WHENto NOSEATOFFICE of (?:[a-z&-]+ ){1,3}(?:at|for|with) {o}
        {x} (?:BECAME|WAS CHOSEN) (?:as |to )?NOSEATOFFICE of (?:[a-z&-]+ ){1,3}(?:at|for|with) {o}
        {o} HASAPPOINTED {x} WHEN(?:as |to be |to )?OFFICE of
        """,
        _WORKS_CLAIM,
    ),
)
"""Forms about somebody's post; forms about the future require a date."""
SIGNS_OF_POSTS = split_into_word_set("""
    resignation departure dismissal retirement redundancy sabbatical secondment seconded loan joining joined
    leaving quitting leaves quits departs departing retiring resigning stepping standing retires resigns steps
    stands retire resign depart promoted became takes took taken succeeds replaces stepped moved went switched
    transferred voted ousted recalled dismissed fired sacked laid discharged parted handed baton named
    returned gone back defected jumped crossed quit appointed hired elected forced removed let join joins
    membership probation renew renewed extend prolong leave
""")
"""A sentence about a post contains one of these,"""
WORDS_AFTER_SIGN_OF_POST = split_into_word_set(
    "of at with for in from as to by until not up work working his her their"
)
POSSIBLE_SIGNS_OF_POSTS = split_into_word_set("""
    day shift week contract employment tenure term job role position post seat internship traineeship
    apprenticeship placement assignment engagement stint service time fellowship mandate trial
    go redundant office lost gave given started starts begins begun start begin
""")
"""or one of these right before one of those."""

_HAS_LEFT = (
    "(?:has |had |have )?(?:later |then |eventually |finally |since |also )?"
    "(?:left|quit|resigned|departed|retired|moved on|(?:was|been) (?:dismissed|fired|sacked|let go|laid off))"
)
_THE_FIRM = (
    "(?:the|that|this) (?:company|firm|organi[sz]ation|group|agency|bank|university|club|band|party|business)"
    "(?= [.,;!]|(?: (?:in|on|at|after|for|to|and|as|last|because|due|before))? |$)"
)
LEFT_FIRM = re.compile(
    rf"@(?P<x>\d+) (?:, [^@,]+ , )?(?:{_HAS_LEFT}(?: from| by)?|is no longer (?:with|at)"
    rf"|no longer works (?:for|at)) {_THE_FIRM}"
)
LEFT_THEN = re.compile(
    rf"(?:@(?P<x>\d+)|,|and|but) {_HAS_LEFT}(?: again)? (?:in|on|at the end of|during) (?:[a-z]+ )?\d"
)
STAYED_THERE = re.compile(
    r"@(?P<x>\d+) (?:has |had )?(?:worked|works|stayed|remained|been|was employed|was) there"
    r" (?:until|till|from|between|since) "
)
"""Somebody and a company named before: "left the company", "and left in 2009", "worked there until"."""
SIGNS_OF_FIRM_BEFORE = split_into_word_set(
    "left quit resigned departed retired moved dismissed fired sacked let laid longer there"
)
"""Every sentence about a company named before contains one of these."""
