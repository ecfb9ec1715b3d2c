"""The verbs and phrases that state a relation, as data: what they mean, which way, and how surely."""

from app.extraction.rules.english.ends import EMPLOYER, PEOPLE, PLACE, PLACED, THINGS
from app.extraction.rules.english.words.named_by import AWARDS, LEAGUES
from app.extraction.rules.tables import Pattern, by_first_word, named, phrases, verbs
from app.scoring.stop_words import word_set

MEMBERED = frozenset({"Organization", "Concept", "Event", "Project"})
WORKS = frozenset({"Document", "Concept", "Product"})


PATTERNS: tuple[tuple[str, Pattern], ...] = (
    *verbs(
        "created",
        0.9,
        """created creates co-created founded co-founded cofounded established invented invents authored
        co-authored developed develops devised co-developed designed co-designed wrote writes written
        co-wrote built builds pioneered initiated""",
        locating=True,
    ),
    *verbs(
        "created",
        0.75,
        "launched introduced directed produced painted recorded coined proposed"
        " conceived architected formulated sculpted illustrated constructed manufactured manufactures"
        " makes made implemented started composed",
    ),
    *verbs("created", 0.75, "formed", locating=True),
    *verbs("provides", 0.75, "published publishes", subjects=EMPLOYER),
    *verbs("created", 0.75, "published publishes", subjects=PEOPLE),
    *verbs("owns", 0.9, "acquired acquires owns owned bought buys purchased"),
    *verbs("replaces", 0.85, "replaced replaces superseded supersedes succeeded succeeds supplanted"),
    *phrases(
        "replaces",
        0.85,
        "deprecated in favour of|deprecated in favor of|discontinued in favour of|discontinued in favor of"
        "|abandoned in favour of|abandoned in favor of|superseded in favour of",
        turned=True,
    ),
    *verbs("deprecates", 0.85, "deprecated deprecates obsoleted obsoletes discontinued retired"),
    *verbs("uses", 0.8, "uses used using adopted adopts employs utilizes utilizing utilises"),
    *verbs(
        "provides",
        0.75,
        "provides provided offers offered sells sold ships shipped released"
        " releases supplies supplied distributes distributed markets marketed exposes delivers",
    ),
    *verbs("depends_on", 0.85, "requires required needs"),
    *verbs("integrates_with", 0.65, "supports supported", subjects=THINGS, objects=THINGS),
    *verbs("causes", 0.85, "caused causes triggered triggers sparked provoked"),
    *verbs("works_on", 0.75, "edited edits", subjects=PEOPLE),
    *verbs(
        "works_on",
        0.7,
        "leads led maintains maintained manages managed headed heads oversees"
        " oversaw chairs chaired commanded",
        subjects=PEOPLE,
    ),
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
    *verbs("part_of", 0.7, "contains includes comprises", turned=True),
    *phrases(
        "created",
        0.85,
        "founder of|co-founder of|cofounder of|creator of|co-creator of|inventor of"
        "|author of|co-author of|designer of|architect of|developer of|founding member of"
        "|original author of|composer of|director of the film|original developer of",
    ),
    *phrases(
        "created",
        0.8,
        "album by|novel by|song by|single by|film by|book by|painting by|poem by|play by|opera by|series by"
        "|track by|story by|memoir by|essay by|sculpture by|musical by|game by|comic by|manga by|album from"
        "|poem of|novel of|ballet by|symphony by",
        turned=True,
        subjects=PEOPLE | EMPLOYER,
    ),
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
        "|chief of|principal of|dean of|rector of|captain of|commander of|prime minister of|king of|queen of"
        "|emperor of|empress of|governor of|mayor of|chancellor of|secretary-general of|general secretary of"
        "|ruler of|premier of|sultan of|vice-chancellor of|leader of|bishop of|archbishop of",
        subjects=PEOPLE,
        objects=PLACED,
    ),
    *phrases("acted_in", 0.8, "starred in|stars in|co-starred in|appeared in|acted in", subjects=PEOPLE),
    *phrases(
        "acted_in",
        0.75,
        "her role in|his role in|her roles in|his roles in|starring role in|lead role in|leading role in"
        "|title role in|her appearance in|his appearance in|her appearances in|his appearances in"
        "|her performance in|his performance in|her performances in|his performances in|star of|stars of",
        subjects=PEOPLE,
        objects=WORKS,
    ),
    *phrases(
        "provides",
        0.75,
        "released through|issued by|issued through|broadcast by|broadcast on"
        "|aired on|airs on|aired by|premiered on|televised by|televised on",
        turned=True,
        subjects=EMPLOYER,
        objects=WORKS,
    ),
    *phrases(
        "acted_in",
        0.85,
        "starring|stars|starred|co-starring|also stars|also starred",
        turned=True,
        subjects=PEOPLE,
        objects=WORKS,
    ),
    *phrases(
        "acted_in",
        0.75,
        "also features|features the voices of|featuring",
        turned=True,
        subjects=PEOPLE,
        objects=WORKS,
    ),
    *phrases(
        "created",
        0.75,
        "music by|lyrics by|screenplay by|libretto by|words by|script by|composed by|scored by",
        turned=True,
        subjects=PEOPLE,
        objects=WORKS,
    ),
    *phrases("owns", 0.85, "owner of|parent company of|sold by"),
    *phrases("owns", 0.85, "parent of", subjects=EMPLOYER, objects=EMPLOYER),
    *phrases(
        "owns",
        0.85,
        "subsidiary of|wholly owned subsidiary of|sold to|taken over by|division of",
        turned=True,
    ),
    *phrases(
        "part_of",
        0.8,
        "part of|component of|module of|subset of|included in|belongs to"
        "|belonged to|belonging to|branch of|feature of|extension of|extension for|unit of"
        "|department of|affiliated with|merged into|incorporated into",
    ),
    *phrases(
        "part_of",
        0.75,
        "episode of|season of|installment in|installment of|instalment in|instalment of|entry in|chapter of"
        "|episode in",
        subjects=WORKS | {"Event"},
        objects=WORKS | {"Location"},
    ),
    *phrases("member_of", 0.8, "member of|members of|member in|founding members of", objects=MEMBERED),
    *phrases(
        "member_of",
        0.75,
        "guitarist of|vocalist of|drummer of|bassist of|singer of|frontman of|keyboardist of|guitarist for"
        "|drummer for|bassist for|singer for|vocalist for",
        subjects=PEOPLE,
        objects=MEMBERED,
    ),
    *phrases(
        "works_on",
        0.75,
        "host of|host on|co-host of|co-host on|presenter of|presenter on|anchor of",
        subjects=PEOPLE,
        objects=WORKS,
    ),
    *verbs("works_on", 0.7, "hosts hosted narrated narrates", subjects=PEOPLE, objects=WORKS),
    *named(
        LEAGUES, phrases("member_of", 0.75, "played in|plays in|playing in|compete in", subjects=EMPLOYER)
    ),
    *named(LEAGUES, phrases("took_part_in", 0.7, "played in|plays in|playing in", subjects=PEOPLE)),
    *phrases(
        "took_part_in",
        0.8,
        "participated in|competed in|competed at|competes in|runner-up in|runner-up at|competitor in"
        "|competitor at|finalist in|finalist at|fought in|took part in|participant in"
        "|served in|serving in|serving during|fought during|represented at"
        "|veteran of",
        objects=frozenset({"Event"}),
    ),
    *phrases(
        "member_of",
        0.8,
        "consisting of|consists of|consisted of|composed of|comprised of|comprising",
        turned=True,
        subjects=PEOPLE,
        objects=EMPLOYER,
    ),
    *phrases("part_of", 0.75, "consists of|consisted of|composed of|comprised of|made up of", turned=True),
    *phrases("headquartered_in", 0.9, "headquartered", locating=True),
    *phrases("located_in", 0.9, "located|based|situated", locating=True),
    *phrases("lives_in", 0.75, "based", locating=True, subjects=PEOPLE),
    *phrases(
        "located_in",
        0.65,
        "held|took place|opened|moved|relocated|runs through|flows through|occurred|fought",
        locating=True,
    ),
    *phrases("born_in", 0.85, "born", locating=True, subjects=PEOPLE),
    *phrases("died_in", 0.85, "died", locating=True, subjects=PEOPLE),
    *phrases(
        "lives_in",
        0.75,
        "lives|lived|resides|resided|raised|living|grew up|settled|moved|resident",
        locating=True,
        subjects=PEOPLE,
    ),
    *phrases("capital_of", 0.9, "capital of|capital city of", subjects=PLACE, objects=PLACE),
    *phrases("headquartered_in", 0.85, "headquarters in|moved its headquarters to", objects=PLACE),
    *phrases("located_in", 0.75, "border between|boundary between", subjects=PLACE, objects=PLACE),
    *phrases(
        "located_in",
        0.8,
        "is the county seat of|is the administrative center of"
        "|is the administrative centre of|city of|largest city in|largest city of"
        "|a city in|a town in|a village in|offices in|a suburb of|a district of"
        "|a municipality in|a county in|district in|neighborhood of|campus in|region of|province of"
        "|borders of|island of|village in|town in|city in|county in|municipality in|river in",
        objects=PLACE,
    ),
    *phrases(
        "uses",
        0.75,
        "written in|implemented in|programmed in|built with|powered by|dialect of"
        "|implementation of|makes use of|written for",
        subjects=THINGS | {"Document"},
    ),
    *phrases(
        "depends_on",
        0.85,
        "depends on|depended on|depend on|relies on|relied on|rely on|dependent on|runs on top of"
        "|built on top of|runs on|run on|requires the use of|requires use of|based on|based upon|built on"
        "|built upon|derived from|forked from|fork of",
    ),
    *phrases(
        "depends_on",
        0.7,
        "descended from|derivative of|adaptation of|adapted from|variant of|evolved from|grew out of",
        subjects=THINGS | {"Document"},
    ),
    *phrases(
        "replaces",
        0.85,
        "successor to|successor of|succeeds|replacement for|follow-up to|sequel to"
        "|took over from|replacement of|successor",
    ),
    *phrases(
        "replaces",
        0.8,
        "predecessor of|predecessor to|gave way to|evolved into|succeeded by|precursor to|precursor of",
        turned=True,
    ),
    *phrases(
        "integrates_with",
        0.8,
        "integrates with|integrated with|compatible with|interoperates with"
        "|connects to|plugin for|plug-in for|driver for|connector for|works with|interface to"
        "|client for|adapter for|bindings for|wrapper for|wrapper around",
        subjects=THINGS,
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
        "reports to|reporting to|reported to|reports directly to|managed by|supervised by",
        subjects=PEOPLE,
        objects=PEOPLE,
    ),
    *phrases(
        "relative_of",
        0.8,
        "cousin of|nephew of|niece of|uncle of|aunt of|grandson of|granddaughter of|grandfather of"
        "|grandmother of|great-grandson of|great-grandfather of|son-in-law of|brother-in-law of"
        "|father-in-law of|sister-in-law of|stepson of|stepfather of|descendant of|descended from",
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
    *phrases("causes", 0.8, "led to|leads to|resulted in|results in|gave rise to|cause of|brought about"),
    *phrases("causes", 0.8, "result of|resulted from|due to|caused by", turned=True),
    *phrases(
        "related_to",
        0.65,
        "similar to|associated with|related to|named after|named for|competitor of"
        "|competes with|nominated for|compared to|inspired by|influenced by|borrowed from|tributary of"
        "|rival of|allied with|modeled after|modelled after|modeled on|modelled on",
    ),
)
"""Phrase and meaning. Of readings of one phrase the first that fits its sentence counts;
`turned` swaps the ends."""

TRIE = by_first_word(PATTERNS)

WHOLE_OBJECT = frozenset(
    ("created", "owns", "provides", "knows", "replaces", "deprecates", "married_to", "received_award")
)
"""Said of a part these are not said of the whole: "created the optimizer of X" is not about X."""

# Nouns that open a phrase such as "author of". They say what a name is only behind "is", "became" or a comma:
# in "they bought an extension of X" it is not the buyer that extends X.
NOMINAL = word_set("""
    founder co-founder cofounder creator co-creator inventor author co-author designer architect developer
    founding composer original owner parent subsidiary division part member component module subset branch
    members feature extension unit department successor replacement follow-up sequel predecessor precursor
    plugin plug-in driver connector interface client adapter bindings wrapper student friend colleague son
    daughter brother sister father mother wife husband spouse mentor friends teacher cousin nephew niece pupil
    descendant widow fork derivative adaptation variant dialect implementation employee engineer
    professor researcher scientist fellow ceo cto cfo coo chief president chairman director executive manager
    coach faculty contributor maintainer committer leader lead project wholly uncle aunt grandson
    granddaughter grandfather grandmother great-grandson great-grandfather half-brother half-sister twin
    stepsister stepbrother sibling consort widower son-in-law brother-in-law father-in-law sister-in-law
    stepson stepfather child sons daughters children brothers sisters parents heir capital headquarters
    alumnus alumna graduate degree doctorate diploma recipient winner laureate chairwoman chairperson
    editor analyst consultant lecturer reporter journalist curator lawyer
    managing head principal dean rector captain commander prime king queen emperor empress governor mayor
    chancellor secretary-general general ruler premier sultan vice-chancellor bishop archbishop tributary
    rival album novel song single film book painting poem play opera series track story memoir essay
    sculpture musical game comic manga ballet symphony veteran participant player footballer guitarist
    episode season installment instalment entry chapter host co-host presenter anchor clerk correspondent
    columnist commentator spokesman spokeswoman goalkeeper midfielder quarterback
    vocalist drummer bassist singer frontman keyboardist music lyrics screenplay libretto words script
""")
