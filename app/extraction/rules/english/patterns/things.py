"""The verbs and phrases of things: what one uses, replaces, rests on, works with or causes."""

from app.extraction.rules.english.ends import THINGS
from app.extraction.rules.tables import Pattern, phrases, verbs

OF_THINGS: tuple[tuple[str, Pattern], ...] = (
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
    *verbs("depends_on", 0.85, "requires required needs"),
    *verbs("integrates_with", 0.65, "supports supported", subjects=THINGS, objects=THINGS),
    *verbs("causes", 0.85, "caused causes triggered triggers sparked provoked"),
    *phrases(
        "uses",
        0.75,
        "written in|implemented in|programmed in|built with|powered by|dialect of"
        "|implementation of|makes use of|written for",
        subjects=THINGS | {"Document"},
    ),
    *phrases(
        "uses",
        0.8,
        "customer of|client of|subscriber of|subscriber to|customers of|clients of|subscribers of|user of",
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
    *phrases("causes", 0.8, "led to|leads to|resulted in|results in|gave rise to|cause of|brought about"),
    *phrases("causes", 0.8, "result of|resulted from|due to|caused by", turned=True),
    *phrases(
        "related_to",
        0.65,
        "similar to|associated with|related to|named after|named for"
        "|named in honor of|named in honour of|takes its name from|took its name from"
        "|taking its name from|derives its name from|gets its name from|got its name from|competitor of"
        "|competes with|nominated for|compared to|inspired by|influenced by|borrowed from|tributary of"
        "|rival of|allied with|modeled after|modelled after|modeled on|modelled on",
    ),
)
