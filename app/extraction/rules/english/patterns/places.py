"""The verbs and phrases of places: where something is, where somebody was born, lived and died."""

from app.extraction.rules.english.ends import PEOPLE, PLACE
from app.extraction.rules.tables import Pattern, phrases

OF_PLACES: tuple[tuple[str, Pattern], ...] = (
    *phrases("headquartered_in", 0.9, "headquartered", locating=True),
    *phrases("located_in", 0.9, "located|based|situated", locating=True),
    *phrases("lives_in", 0.75, "based", locating=True, subjects=PEOPLE),
    *phrases(
        "located_in",
        0.65,
        "held|took place|takes place|taking place|opened|moved|relocated|runs through|flows through|occurred"
        "|fought",
        locating=True,
    ),
    *phrases("originates_in", 0.8, "native to|indigenous to|endemic to", objects=PLACE),
    *phrases(
        "located_in",
        0.7,
        "bisected by|traversed by|crossed by|drained by",
        turned=True,
        subjects=PLACE,
        objects=PLACE,
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
)
