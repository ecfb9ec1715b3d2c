"""The verbs and phrases of works and goods: who made one, who offers it, who played in it."""

from app.extraction.rules.english.ends import EMPLOYER, PEOPLE, WORKS
from app.extraction.rules.tables import Pattern, phrases, verbs

OF_WORKS: tuple[tuple[str, Pattern], ...] = (
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
    *verbs(
        "provides",
        0.75,
        "provides provided offers offered sells sold ships shipped released"
        " releases supplies supplied distributes distributed markets marketed exposes delivers",
    ),
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
        "acted_in",
        0.8,
        "starred in|stars in|co-starred in|appeared in|appears in|acted in|guest starred in",
        subjects=PEOPLE,
    ),
    *phrases(
        "uses",
        0.7,
        "featured in|used in|heard in|debuted in|debuting in",
        turned=True,
        subjects=frozenset({"Document"}),
        objects=WORKS,
    ),
    *phrases(
        "acted_in",
        0.75,
        "debut in",
        subjects=PEOPLE,
        objects=WORKS,
    ),
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
        "acted_in",
        0.75,
        "appeared on|appears on|appears live on|guest starred on|guest-starred on|guest-starred in",
        subjects=PEOPLE,
        objects=frozenset({"Document"}),
    ),
    *phrases(
        "works_on",
        0.75,
        "|".join(
            f"{verb} {guests} {by}"
            for verb in ("features", "featured", "featuring", "includes", "included", "including")
            for guests in (
                "guest appearances",
                "a guest appearance",
                "guest vocals",
                "contributions",
                "cameos",
            )
            for by in ("from", "by", "of")
        ),
        turned=True,
        subjects=PEOPLE | EMPLOYER,
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
)
