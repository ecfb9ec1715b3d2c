"""The verbs and phrases of people: their work and offices, their families, schools and prizes."""

from app.extraction.rules.english.denials import MEMBERSHIPS
from app.extraction.rules.english.ends import EMPLOYER, PEOPLE, PLACED, WORKS
from app.extraction.rules.english.lexicon import GIVEN_NAMES
from app.extraction.rules.english.words.given_names import FIRST_NAMES
from app.extraction.rules.english.words.named_by import AWARDS, LEAGUES
from app.extraction.rules.tables import Pattern, named, phrases, verbs

OF_PEOPLE: tuple[tuple[str, Pattern], ...] = (
    *verbs("works_on", 0.75, "edited edits", subjects=PEOPLE),
    *named(
        FIRST_NAMES | GIVEN_NAMES,
        verbs("reports_to", 0.75, "manages managed supervises", turned=True, subjects=PEOPLE, objects=PEOPLE),
    ),
    *verbs(
        "works_on",
        0.7,
        "leads led maintains maintained manages managed headed heads oversees"
        " oversaw chairs chaired commanded",
        subjects=PEOPLE,
    ),
    *verbs("works_on", 0.7, "maintains maintained", subjects=EMPLOYER),
    *named(MEMBERSHIPS, verbs("member_of", 0.8, "joined rejoined", subjects=PEOPLE, objects=EMPLOYER)),
    *verbs("parent_of", 0.8, "adopted", subjects=PEOPLE, objects=PEOPLE),
    *verbs("works_for", 0.75, "joined rejoined", subjects=PEOPLE, objects=EMPLOYER),
    *verbs("works_for", 0.8, "employed hired employs", turned=True, subjects=PEOPLE, objects=EMPLOYER),
    *verbs(
        "knows",
        0.8,
        "met befriended advised mentored taught supervised tutored knows knew",
        subjects=PEOPLE,
        objects=PEOPLE,
    ),
    *verbs("married_to", 0.85, "married wed", subjects=PEOPLE, objects=PEOPLE),
    *named(AWARDS, verbs("received_award", 0.8, "won received awarded earned wins receives")),
    *phrases(
        "works_for",
        0.85,
        "worked for|worked at|works for|works at|working for|working at|work at"
        "|employee of|employed at|engineer at|professor at|researcher at|scientist at|fellow at"
        "|executive at|editor at|editor for|analyst at|manager at|director at|consultant at|lecturer at"
        "|teacher at|designer at|developer at|reporter at|reporter for|journalist at"
        "|journalist for|curator at|lawyer at"
        "|served in|serves in|played for|plays for|taught at"
        "|teaches at|lectured at|professor of computer science at|faculty at|manager of|coach of"
        "|player for|footballer for|played with|plays with|clerk for|correspondent for|columnist for"
        "|commentator for|spokesman for|spokeswoman for|goalkeeper for|midfielder for|quarterback for"
        "|treasurer of|trustee of|bookkeeper of|caretaker of|has been with|have been with|had been with"
        "|is back at|is back with|are back at|returned to work at|returned to work for|back at work at"
        "|rehired by|re-hired by|reinstated at|reinstated by|recruited by|headhunted by"
        "|taken on by|poached by|is now with|stays with|remains with|is still with|is currently with"
        "|signed with|faculty member at|joined the faculty of|hired by",
        objects=EMPLOYER,
    ),
    *phrases(
        "works_on",
        0.75,
        "worked on|works on|working on|contributed to|contributes to|contributor to"
        "|maintainer of|committer on|committer of|committer to|leads the development of"
        "|led the development of|lead developer of|project leader of",
    ),
    *phrases(
        "head_of",
        0.85,
        "ceo of|cto of|cfo of|coo of|chief executive of|chief executive officer of|president of|chairman of"
        "|chairwoman of|chairperson of|director of|managing director of|executive director of|head of"
        "|chief of|chief minister of|minister-president of|principal of|dean of|rector of|captain of"
        "|chair of|joint chairs of|co-chairs of|co-chair of|joint heads of|co-heads of|co-head of"
        "|joint directors of|co-directors of|co-director of|directors of|co-ceos of|co-ceo of|interim head of"
        "|commander of|prime minister of|king of|queen of"
        "|emperor of|empress of|governor of|mayor of|chancellor of|secretary-general of|general secretary of"
        "|ruler of|premier of|sultan of|vice-chancellor of|leader of|bishop of|archbishop of",
        subjects=PEOPLE,
        objects=PLACED,
    ),
    *phrases(
        "works_on",
        0.75,
        "host of|host on|co-host of|co-host on|presenter of|presenter on|anchor of",
        subjects=PEOPLE,
        objects=WORKS,
    ),
    *verbs("works_on", 0.7, "hosts hosted narrated narrates", subjects=PEOPLE, objects=WORKS),
    *named(LEAGUES, phrases("took_part_in", 0.7, "played in|plays in|playing in", subjects=PEOPLE)),
    *phrases(
        "took_part_in",
        0.8,
        "participated in|competed in|competed at|competes in|runner-up in|runner-up at|competitor in"
        "|competitor at|finalist in|finalist at|fought in|took part in|participant in"
        "|served in|serving in|serving during|fought during|represented at"
        "|veteran of|represented his country at|represented her country at"
        "|represented his native country at|represented her native country at",
        objects=frozenset({"Event"}),
    ),
    *phrases(
        "knows",
        0.75,
        "worked with|works with|worked alongside|collaborated with|student of"
        "|studied under|studied with|friend of|colleague of|mentor of|friends with"
        "|partnered with|teacher of|pupil of",
        subjects=PEOPLE,
        objects=PEOPLE,
    ),
    *phrases("parent_of", 0.85, "father of|mother of|parent of|parents of", subjects=PEOPLE, objects=PEOPLE),
    *phrases(
        "parent_of",
        0.85,
        "son of|daughter of|child of|born to|sons of|daughters of|children of|heir of",
        turned=True,
        subjects=PEOPLE,
        objects=PEOPLE,
    ),
    *phrases(
        "sibling_of",
        0.85,
        "brother of|sister of|half-brother of|half-sister of|twin of|brothers of|sisters of|stepsister of"
        "|stepbrother of|sibling of",
        subjects=PEOPLE,
        objects=PEOPLE,
    ),
    *phrases(
        "married_to",
        0.85,
        "married to|wife of|husband of|spouse of|widow of|widower of|wed to|consort of|wedded to"
        "|marriage to|marriage with",
        subjects=PEOPLE,
        objects=PEOPLE,
    ),
    *phrases(
        "reports_to",
        0.85,
        "reports to|reporting to|reported to|reports directly to|managed by|supervised by|chief of staff to"
        "|chief of staff of|chief of staff for|assistant to|adviser to|advisor to|aide to|deputy to"
        "|private secretary to|press secretary to|personal secretary to",
        subjects=PEOPLE,
        objects=PEOPLE,
    ),
    *phrases(
        "relative_of",
        0.8,
        "cousin of|nephew of|niece of|uncle of|aunt of|grandson of|granddaughter of|grandfather of"
        "|grandmother of|great-grandson of|great-grandfather of|son-in-law of|brother-in-law of"
        "|father-in-law of|sister-in-law of|stepson of|stepfather of|descendant of|descended from"
        "|mother-in-law of|daughter-in-law of|stepmother of|stepdaughter of|great-uncle of|great-aunt of"
        "|great-nephew of|great-niece of|great-granddaughter of|great-grandmother of|cousins of"
        "|grandchild of|grandchildren of",
        subjects=PEOPLE,
        objects=PEOPLE,
    ),
    *phrases(
        "educated_at",
        0.85,
        "studied at|graduated from|graduating from|studying at|educated at"
        "|attended|degree from|alumnus of|alumna of|graduate of"
        "|degree at|student at|enrolled at|studies at|trained at|doctorate from|doctorate at|diploma from"
        "|phd from|phd at|ph.d from|matriculated at|student of",
        subjects=PEOPLE,
        objects=EMPLOYER,
    ),
    *named(AWARDS, phrases("received_award", 0.8, "recipient of|winner of|laureate of")),
)
