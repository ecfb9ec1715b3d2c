"""The registry of the platform's relation types. To add one, write one entry here.

Everything else is derived from the entries: the vocabulary of a space and of a model's prompt, the rules for
English and table columns, how claims are displayed, queried and labelled, what contradicts and what ends
them, and docs/extraction-rules.md. If two entries match the same words, the earlier one is tried first.
"""

from typing import Final

from app.domain.node_types import (
    CREATED_TYPES,
    DOCUMENTS,
    EVENTS,
    GROUPS,
    IMPERSONAL_TYPES,
    PEOPLE,
    PLACE_TYPES,
    PLACED_TYPES,
    PROGRAMS,
    TYPES_WITH_MEMBERS,
    WORKS,
)
from app.domain.relation_type import (
    CUSTOMER,
    TASK,
    WORK,
    ChangingEnd,
    Ends,
    Header,
    ImpliedRelation,
    Kin,
    NamedBy,
    RelationType,
    Role,
    VerblessPair,
    build_noun_wording,
    build_phrase_wording,
    build_verb_wording,
)

# Offices with one holder at a time.
_OFFICES = (
    "ceo|cto|cfo|coo|chief executive|chief executive officer|president|chairman|chairwoman|chairperson|chair"
    "|managing director|executive director|principal|dean|rector|captain|commander|chief minister"
    "|minister-president|prime minister|premier|chancellor|vice-chancellor|king|queen|emperor|empress|sultan"
    "|governor|mayor|secretary-general|general secretary|bishop|archbishop"
)
RELATION_TYPES: Final[tuple[RelationType, ...]] = (
    RelationType(
        "provides",
        definition="A makes B available to others",
        example="A sells B",
        ends=Ends(never_sources=PLACE_TYPES | EVENTS, never_targets=PEOPLE | PLACE_TYPES),
        ends_with_source=True,
        has_term=True,
        outlives_denied_version=True,
        excludes_parts=True,
        synonyms="""
            provide provided offers offered sells ships releases released exposes delivers
        """,
        inverses="provided_by offered_by sold_by released_by",
        wordings=(
            build_verb_wording(0.75, "published publishes", subject_kinds=GROUPS),
            build_verb_wording(
                0.75,
                """
                    provides provided offers offered sells sold ships shipped released releases distributes
                    distributed markets marketed exposes delivers
                """,
            ),
            build_phrase_wording(
                0.75,
                """
                    released through|issued by|issued through|broadcast by|broadcast on|aired on|airs on
                    |aired by|premiered on|televised by|televised on
                """,
                is_reversed=True,
                subject_kinds=GROUPS,
                object_kinds=WORKS,
            ),
        ),
        verbless_pairs=(VerblessPair(("'s",), GROUPS, PROGRAMS, 0.6, needs_certain_kind=True),),
        headers=(
            Header(
                None,
                "Organization",
                """
                    manufacturer vendor supplier provider publisher maker hersteller lieferant
                    fournisseur
                """,
                is_reversed=True,
            ),
            Header("Product", "Organization", "company company_name brand firma", is_reversed=True),
            Header("Organization", "Product", "products product services offers provides produkt"),
        ),
        record_kinds_without_header=(CUSTOMER,),
    ),
    RelationType(
        "uses",
        definition="A works by means of B, or is made with it",
        example="A is written in B",
        question="What does {start} use?",
        ends=Ends(never_sources=PLACE_TYPES, never_targets=PEOPLE | PLACE_TYPES),
        ends_with_source=True,
        has_term=True,
        undated_past_ends_it=True,
        outlives_denied_version=True,
        synonyms="""
            use used using utilizes utilises employs written_in implemented_in built_with powered_by
            adopts adopted
        """,
        inverses="used_by adopted_by",
        wordings=(
            build_phrase_wording(
                0.7,
                "featured in|used in|heard in|debuted in|debuting in",
                is_reversed=True,
                subject_kinds=DOCUMENTS,
                object_kinds=WORKS,
            ),
            build_verb_wording(0.8, "uses used using adopted adopts employs utilizes utilizing utilises"),
            build_phrase_wording(
                0.75,
                """
                    written in|implemented in|programmed in|built with|powered by|makes use of
                    |written for
                """,
                subject_kinds=IMPERSONAL_TYPES | DOCUMENTS,
            ),
            build_noun_wording(
                0.75, "dialect of|implementation of", subject_kinds=IMPERSONAL_TYPES | DOCUMENTS
            ),
            build_noun_wording(
                0.8,
                """
                    customer of|client of|subscriber of|subscriber to|customers of|clients of
                    |subscribers of|user of
                """,
            ),
        ),
        headers=(
            Header(CUSTOMER, "Product", "product products item plan subscription produkt produit"),
            Header(
                None,
                "Technology",
                """
                    uses stack technologies tools database framework os operating_system
                    programming_language
                """,
            ),
        ),
    ),
    RelationType(
        "depends_on",
        definition="A cannot work without B",
        example="A runs on B",
        question="What does {start} depend on?",
        ends=Ends(never_sources=PEOPLE | PLACE_TYPES | EVENTS, never_targets=PEOPLE | PLACE_TYPES),
        ended_by=("uses",),
        has_term=True,
        outlives_denied_version=True,
        synonyms="""
            depend_on depends relies_on requires require needs built_on_top_of runs_on based_on
            based_upon built_on derived_from forked_from fork_of
        """,
        inverses="required_by needed_by basis_of basis_for",
        wordings=(
            build_verb_wording(0.85, "requires required needs"),
            build_phrase_wording(
                0.85,
                """
                    depends on|depended on|depend on|relies on|relied on|rely on|dependent on
                    |runs on top of|built on top of|runs on|run on|requires the use of|requires use of
                    |based on|based upon|built on|built upon|derived from|forked from
                """,
            ),
            build_noun_wording(0.85, "fork of"),
            build_phrase_wording(
                0.7,
                "descended from|adapted from|evolved from|grew out of",
                subject_kinds=IMPERSONAL_TYPES | DOCUMENTS,
            ),
            build_noun_wording(
                0.7, "derivative of|adaptation of|variant of", subject_kinds=IMPERSONAL_TYPES | DOCUMENTS
            ),
        ),
        headers=(
            Header(
                None,
                "Technology",
                """
                    depends_on dependencies requires built_on runs_on hosted_on deployed_on platform
                """,
            ),
        ),
    ),
    RelationType(
        "integrates_with",
        definition="A and B exchange data or calls",
        example="A works with B",
        question="What does {start} integrate with?",
        ends=Ends(never_sources=PEOPLE | PLACE_TYPES | EVENTS, never_targets=PEOPLE | PLACE_TYPES | EVENTS),
        symmetric=True,
        has_term=True,
        outlives_denied_version=True,
        synonyms="""
            integrates integrated_with compatible_with connects_to interoperates_with works_with
            supports interfaces_with plugin_for extension_for
        """,
        wordings=(
            build_verb_wording(
                0.65, "supports supported", subject_kinds=IMPERSONAL_TYPES, object_kinds=IMPERSONAL_TYPES
            ),
            build_phrase_wording(
                0.8,
                """
                    integrates with|integrated with|compatible with|interoperates with|connects to
                    |works with
                """,
                subject_kinds=IMPERSONAL_TYPES,
            ),
            build_noun_wording(
                0.8,
                """
                    plugin for|plug-in for|driver for|connector for|interface to|client for|adapter for
                    |bindings for|wrapper for|wrapper around
                """,
                subject_kinds=IMPERSONAL_TYPES,
            ),
        ),
        headers=(Header(None, "Technology", "integrates_with integrations compatible_with"),),
    ),
    RelationType(
        "replaces",
        definition="A takes the place of B",
        example="A succeeds B",
        question="What did {start} replace?",
        ends=Ends(kinds_shared_by_both=PEOPLE | PLACE_TYPES),
        one_way=True,
        excludes_parts=True,
        synonyms="""
            replaced replace supersedes superseded successor_of successor_to succeeds succeeded
            replacement_for
        """,
        inverses="replaced_by superseded_by succeeded_by predecessor_of preceded",
        wordings=(
            build_verb_wording(0.85, "replaced replaces superseded supersedes succeeded succeeds supplanted"),
            build_phrase_wording(
                0.85,
                """
                    deprecated in favour of|deprecated in favor of|discontinued in favour of
                    |discontinued in favor of|abandoned in favour of|abandoned in favor of
                    |superseded in favour of
                """,
                is_reversed=True,
            ),
            build_phrase_wording(0.85, "succeeds|took over from"),
            build_noun_wording(
                0.85,
                """
                    successor to|successor of|replacement for|follow-up to|sequel to|replacement of
                    |successor
                """,
            ),
            build_phrase_wording(0.8, "gave way to|evolved into|succeeded by", is_reversed=True),
            build_noun_wording(
                0.8, "predecessor of|predecessor to|precursor to|precursor of", is_reversed=True
            ),
        ),
        headers=(
            Header(None, "Technology", "replaces successor_of supersedes"),
            Header(None, "Technology", "replaced_by superseded_by successor", is_reversed=True),
        ),
    ),
    RelationType(
        "deprecates",
        definition="A declares B out of use",
        example="A retires B",
        ends=Ends(never_sources=PLACE_TYPES, never_targets=PEOPLE | PLACE_TYPES),
        one_way=True,
        outlives_denied_version=True,
        excludes_parts=True,
        synonyms="deprecated deprecate obsoletes removes retired",
        inverses="deprecated_by",
        wordings=(
            build_verb_wording(0.85, "deprecated deprecates obsoleted obsoletes discontinued retired"),
        ),
    ),
    RelationType(
        "causes",
        definition="A makes B happen",
        example="A led to B",
        synonyms="""
            cause caused leads_to led_to results_in resulted_in triggers triggered produces_effect
        """,
        inverses="caused_by triggered_by result_of results_from",
        wordings=(
            build_verb_wording(0.85, "caused causes triggered triggers sparked provoked"),
            build_phrase_wording(
                0.8,
                """
                    led to|leads to|resulted in|results in|gave rise to|cause of|brought about
                """,
            ),
            build_phrase_wording(0.8, "result of|resulted from|due to|caused by", is_reversed=True),
        ),
    ),
    RelationType(
        "owns",
        definition="B is A's property or subsidiary",
        example="A bought B",
        changing_end=ChangingEnd.SOURCE,
        question="What does {start} own?",
        ends=Ends(never_sources=EVENTS | CREATED_TYPES, never_targets=PEOPLE),
        one_way=True,
        ends_with_source=True,
        ends_with_target=True,
        has_term=True,
        past_verbs=("owned",),
        excludes_parts=True,
        synonyms="""
            own owned acquired acquires acquire bought buys purchased takes_over took_over
            has_subsidiary parent_company_of
        """,
        inverses="owned_by acquired_by bought_by purchased_by is_owned_by has_parent",
        wordings=(
            build_verb_wording(0.9, "acquired acquires owns owned bought buys purchased"),
            build_phrase_wording(0.85, "sold by"),
            build_noun_wording(0.85, "owner of|parent company of"),
            build_noun_wording(0.85, "parent of", subject_kinds=GROUPS, object_kinds=GROUPS),
            build_phrase_wording(0.85, "sold to", is_reversed=True),
            build_noun_wording(
                0.85, "subsidiary of|wholly owned subsidiary of|division of", is_reversed=True
            ),
            build_phrase_wording(0.85, "taken over by", is_reversed=True, subject_kinds=GROUPS),
        ),
        headers=(
            Header(None, "", "owner owners owned_by", is_reversed=True),
            Header(None, "Organization", "parent_company parent acquired_by holding", is_reversed=True),
            Header("Organization", "Organization", "subsidiary subsidiaries owns brands"),
        ),
    ),
    RelationType(
        "member_of",
        definition="A is one of the group B's members",
        example="A belongs to club B",
        is_specific=True,
        words_between_names="is a member of",
        ends=Ends(never_sources=EVENTS | CREATED_TYPES, never_targets=PEOPLE | PLACE_TYPES | CREATED_TYPES),
        ended_by=("works_for",),
        ends_with_source=True,
        ends_with_target=True,
        has_term=True,
        undated_past_ends_it=True,
        ends_on_leaving=True,
        synonyms="belongs_to_group is_a_member_of",
        inverses="has_member members",
        wordings=(
            build_phrase_wording(0.8, "on the board of|board member of", object_kinds=TYPES_WITH_MEMBERS),
            build_noun_wording(
                0.8,
                """
                    member of|members of|member in|founding members of|member of the board of
                """,
                object_kinds=TYPES_WITH_MEMBERS,
            ),
            build_noun_wording(
                0.75,
                """
                    guitarist of|vocalist of|drummer of|bassist of|singer of|frontman of|keyboardist of
                    |guitarist for|drummer for|bassist for|singer for|vocalist for
                """,
                subject_kinds=PEOPLE,
                object_kinds=TYPES_WITH_MEMBERS,
            ),
            build_phrase_wording(
                0.75,
                "played in|plays in|playing in|compete in",
                subject_kinds=GROUPS,
                named_by=NamedBy.LEAGUES,
            ),
            build_phrase_wording(
                0.8,
                """
                    consisting of|consists of|consisted of|composed of|comprised of|comprising
                """,
                is_reversed=True,
                subject_kinds=PEOPLE,
                object_kinds=GROUPS,
            ),
            build_verb_wording(
                0.8,
                "joined rejoined",
                subject_kinds=PEOPLE,
                object_kinds=GROUPS,
                named_by=NamedBy.MEMBERSHIPS,
            ),
        ),
        roles=(
            Role(
                0.7, "member members vocalist guitarist drummer bassist singer frontman", may_follow_its=True
            ),
        ),
        headers=(Header("Person", "Organization", "member_of membership party team club"),),
    ),
    RelationType(
        "part_of",
        definition="A belongs to the larger B",
        example="A is a division of B",
        words_between_names="is part of",
        question="What is {start} part of?",
        ends=Ends(never_targets=PEOPLE, excluded_pair=(PEOPLE | PLACED_TYPES, PROGRAMS)),
        one_way=True,
        undated_past_ends_it=True,
        synonyms="""
            is_part_of belongs_to component_of module_of subset_of included_in contained_in
            subsidiary_of division_of extension_of
        """,
        inverses="has_part contains includes consists_of comprises",
        wordings=(
            build_verb_wording(0.7, "contains includes comprises", is_reversed=True),
            build_phrase_wording(
                0.8,
                """
                    included in|belongs to|belonged to|belonging to|affiliated with|merged into
                    |incorporated into
                """,
            ),
            build_noun_wording(
                0.8,
                """
                    part of|component of|module of|subset of|branch of|feature of|extension of
                    |extension for|unit of|department of|arm of
                """,
            ),
            build_noun_wording(
                0.75,
                """
                    episode of|season of|installment in|installment of|instalment in|instalment of
                    |entry in|chapter of|episode in
                """,
                subject_kinds=EVENTS | WORKS,
                object_kinds=PLACE_TYPES | WORKS,
            ),
            build_phrase_wording(
                0.75, "consists of|consisted of|composed of|comprised of|made up of", is_reversed=True
            ),
        ),
        headers=(
            Header(None, "Organization", "department division team group part_of belongs_to abteilung"),
        ),
    ),
    RelationType(
        "head_of",
        definition="A leads B",
        example="A is mayor of B",
        is_specific=True,
        single_source=True,
        offices=f"""
            {_OFFICES}|chief technology officer|chief financial officer|chief operating officer|deputy mayor
        """,
        shared_offices="""
            co-|joint|director|directors|heads|chairs|presidents|leaders|interim|acting|deputy
        """,
        words_between_names="is the head of",
        ends=Ends(sources=PEOPLE, targets=PLACED_TYPES),
        implies=ImpliedRelation("works_for", GROUPS),
        ended_by=("works_for", "member_of"),
        ends_with_source=True,
        ends_with_target=True,
        has_term=True,
        undated_past_ends_it=True,
        synonyms="""
            ceo_of cto_of president_of chairman_of chief_executive_of chief_executive_officer_of
        """,
        wordings=(
            build_noun_wording(
                0.85,
                f"""
                    {_OFFICES.replace("|", " of|")} of
                    |director of|head of|chief of|ruler of|leader of
                    |joint chairs of|co-chairs of|co-chair of|joint heads of|co-heads of|co-head of
                    |joint directors of|co-directors of|co-director of|directors of|co-ceos of|co-ceo of
                    |interim head of
                """,
                subject_kinds=PEOPLE,
                object_kinds=PLACED_TYPES,
            ),
            build_verb_wording(0.75, "leads led heads headed chairs chaired", subject_kinds=PEOPLE),
        ),
        roles=(
            Role(
                0.8,
                """
                    ceo cto cfo coo chairman chairwoman president director chief king queen mayor
                    governor
                """,
                may_follow_its=True,
            ),
        ),
        headers=(
            Header(
                "Organization",
                "Person",
                """
                    ceo chairman president director managing_director head headed_by geschäftsführer
                """,
                is_reversed=True,
            ),
        ),
    ),
    RelationType(
        "created",
        definition="A made or started B",
        example="A founded B",
        question="Who created {end}?",
        ends=Ends(never_sources=PLACE_TYPES | EVENTS | CREATED_TYPES, never_targets=PEOPLE | PLACE_TYPES),
        one_way=True,
        excludes_parts=True,
        synonyms="""
            create creates creating co_created founded founds found co_founded cofounded established
            establishes developed develops authored authors wrote writes invented invents designed
            designs built builds produced produces made makes composed published publishes launched
            started formed introduced directed discovered implemented formulated proposed creator_of
            founder_of author_of inventor_of
        """,
        inverses="""
            creation_of_person founded_by developed_by authored_by written_by invented_by designed_by
            built_by
        """,
        wordings=(
            build_verb_wording(
                0.9,
                """
                    created creates co-created founded co-founded cofounded established invented invents
                    authored co-authored developed develops devised co-developed designed co-designed
                    wrote writes written co-wrote built builds pioneered initiated
                """,
                states_location=True,
            ),
            build_verb_wording(
                0.75,
                """
                    launched introduced produced coined proposed conceived architected formulated
                    constructed manufactured manufactures makes made implemented started
                """,
            ),
            # Who directed a laboratory did not create it.
            build_verb_wording(
                0.75, "directed painted recorded sculpted illustrated composed", object_kinds=WORKS
            ),
            build_verb_wording(0.75, "formed", states_location=True),
            build_verb_wording(0.75, "published publishes", subject_kinds=PEOPLE),
            build_noun_wording(
                0.85,
                """
                    founder of|co-founder of|cofounder of|creator of|co-creator of|inventor of|author of
                    |co-author of|designer of|architect of|developer of|founding member of
                    |original author of|composer of|director of the film|original developer of
                """,
            ),
            build_noun_wording(
                0.8,
                """
                    album by|novel by|song by|single by|film by|book by|painting by|poem by|play by
                    |opera by|series by|track by|story by|memoir by|essay by|sculpture by|musical by
                    |game by|comic by|manga by|album from|poem of|novel of|ballet by|symphony by
                """,
                is_reversed=True,
                subject_kinds=PEOPLE | GROUPS,
            ),
            build_phrase_wording(
                0.75, "composed by|scored by", is_reversed=True, subject_kinds=PEOPLE, object_kinds=WORKS
            ),
            build_noun_wording(
                0.75,
                "music by|lyrics by|screenplay by|libretto by|words by|script by",
                is_reversed=True,
                subject_kinds=PEOPLE,
                object_kinds=WORKS,
            ),
        ),
        verbless_pairs=(VerblessPair(("'s",), PEOPLE, DOCUMENTS, 0.7, needs_certain_kind=True),),
        roles=(
            Role(0.8, "founder co-founder cofounder creator inventor author founders", may_follow_its=True),
        ),
        headers=(
            Header(TASK, "Person", "reporter reported_by opened_by author", is_reversed=True),
            Header(
                None,
                "Person",
                """
                    author authors creator creators founder founders founded_by created_by inventor
                    written_by designer developer developers developed_by autor auteur gründer
                """,
                is_reversed=True,
            ),
            Header(
                WORK,
                "Person",
                """
                    director directors directed_by producer screenwriter writer artist composer editor
                """,
                is_reversed=True,
            ),
        ),
    ),
    RelationType(
        "works_for",
        definition="A works, plays or serves for B",
        example="A is employed by B",
        question="Who works for {end}?",
        ends=Ends(sources=PEOPLE, targets=GROUPS),
        one_way=True,
        ends_with_source=True,
        ends_with_target=True,
        has_term=True,
        undated_past_ends_it=True,
        ends_on_leaving=True,
        synonyms="""
            works_at worked_at work_for worked_for employed_by joined joins hired_by member_of_staff
            employee_of professor_at serves_in served_in plays_for played_for is_employed_by
        """,
        inverses="employs_person hired employer_of hires",
        wordings=(
            build_verb_wording(0.75, "joined rejoined", subject_kinds=PEOPLE, object_kinds=GROUPS),
            build_verb_wording(
                0.8, "employed hired employs", is_reversed=True, subject_kinds=PEOPLE, object_kinds=GROUPS
            ),
            build_phrase_wording(
                0.85,
                """
                    worked for|worked at|works for|works at|working for|working at|work at|employed at
                    |served in|serves in|played for|plays for|taught at|teaches at|lectured at
                    |played with|plays with|has been with|have been with|had been with|is back at
                    |is back with|are back at|returned to work at|returned to work for|back at work at
                    |rehired by|re-hired by|reinstated at|reinstated by|recruited by|headhunted by
                    |taken on by|poached by|is now with|stays with|remains with|is still with
                    |is currently with|signed with|joined the faculty of|hired by
                """,
                object_kinds=GROUPS,
            ),
            build_noun_wording(
                0.85,
                """
                    employee of|engineer at|professor at|researcher at|scientist at|fellow at
                    |executive at|editor at|editor for|analyst at|manager at|director at|consultant at
                    |lecturer at|teacher at|designer at|developer at|reporter at|reporter for
                    |journalist at|journalist for|curator at|lawyer at|professor of computer science at
                    |faculty at|manager of|coach of|player for|footballer for|clerk for
                    |correspondent for|columnist for|commentator for|spokesman for|spokeswoman for
                    |goalkeeper for|midfielder for|quarterback for|treasurer of|trustee of|bookkeeper of
                    |caretaker of|faculty member at
                """,
                object_kinds=GROUPS,
            ),
        ),
        verbless_pairs=(
            VerblessPair(
                (
                    "at",
                    "at the",
                ),
                PEOPLE,
                GROUPS,
                0.6,
            ),
            VerblessPair(
                (
                    "of",
                    "of the",
                    "from",
                ),
                PEOPLE,
                GROUPS,
                0.55,
            ),
        ),
        roles=(
            Role(
                0.75,
                """
                    engineer researcher scientist employee executive manager spokesman professor
                    executives programmer
                """,
                may_follow_its=True,
            ),
        ),
        headers=(
            Header(
                "Person",
                "Organization",
                """
                    employer company company_name works_for works_at firm organization organisation
                    firma arbeitgeber
                """,
            ),
            Header(
                CUSTOMER,
                "Person",
                "contact contact_name contact_person primary_contact",
                is_reversed=True,
                needs_known_row_kind=True,
            ),
            Header(
                "Organization",
                "Person",
                "employees staff employee",
                is_reversed=True,
            ),
            Header(
                "Organization",
                "Person",
                "contact contact_name contact_person primary_contact",
                is_reversed=True,
                needs_known_row_kind=True,
            ),
        ),
    ),
    RelationType(
        "reports_to",
        definition="A answers to the superior B",
        example="B is A's manager",
        changing_end=ChangingEnd.TARGET,
        is_specific=True,
        ends=Ends(sources=PEOPLE, targets=PEOPLE),
        ends_with_source=True,
        ends_with_target=True,
        has_term=True,
        undated_past_ends_it=True,
        synonyms="reports_directly_to managed_by supervised_by direct_report_of",
        wordings=(
            build_verb_wording(
                0.75,
                "manages managed supervises",
                is_reversed=True,
                subject_kinds=PEOPLE,
                object_kinds=PEOPLE,
                named_by=NamedBy.GIVEN_NAMES,
            ),
            build_phrase_wording(
                0.85,
                """
                    reports to|reporting to|reported to|reports directly to|managed by|supervised by
                """,
                subject_kinds=PEOPLE,
                object_kinds=PEOPLE,
            ),
            build_noun_wording(
                0.85,
                """
                    chief of staff to|chief of staff of|chief of staff for|assistant to|adviser to
                    |advisor to|aide to|deputy to|private secretary to|press secretary to
                    |personal secretary to
                """,
                subject_kinds=PEOPLE,
                object_kinds=PEOPLE,
            ),
        ),
        headers=(
            Header(
                "Person",
                "Person",
                """
                    manager line_manager reports_to supervisor boss managed_by vorgesetzter chef
                """,
                needs_person_row=True,
            ),
        ),
    ),
    RelationType(
        "works_on",
        definition="A contributes to the work or project B",
        example="A maintains B",
        ends=Ends(never_sources=PLACE_TYPES | EVENTS | CREATED_TYPES, never_targets=PEOPLE | PLACE_TYPES),
        ends_with_source=True,
        ends_with_target=True,
        has_term=True,
        undated_past_ends_it=True,
        synonyms="""
            leads led lead maintains maintained maintainer_of contributes_to contributed_to worked_on
            manages managed heads headed develops_for
        """,
        inverses="led_by maintained_by managed_by headed_by",
        wordings=(
            build_phrase_wording(
                0.75,
                """
                    features guest appearances from|features guest appearances by
                    |features guest appearances of|features a guest appearance from
                    |features a guest appearance by|features a guest appearance of
                    |features guest vocals from|features guest vocals by|features guest vocals of
                    |features contributions from|features contributions by|features contributions of
                    |features cameos from|features cameos by|features cameos of
                    |featured guest appearances from|featured guest appearances by
                    |featured guest appearances of|featured a guest appearance from
                    |featured a guest appearance by|featured a guest appearance of
                    |featured guest vocals from|featured guest vocals by|featured guest vocals of
                    |featured contributions from|featured contributions by|featured contributions of
                    |featured cameos from|featured cameos by|featured cameos of
                    |featuring guest appearances from|featuring guest appearances by
                    |featuring guest appearances of|featuring a guest appearance from
                    |featuring a guest appearance by|featuring a guest appearance of
                    |featuring guest vocals from|featuring guest vocals by|featuring guest vocals of
                    |featuring contributions from|featuring contributions by|featuring contributions of
                    |featuring cameos from|featuring cameos by|featuring cameos of
                    |includes guest appearances from|includes guest appearances by
                    |includes guest appearances of|includes a guest appearance from
                    |includes a guest appearance by|includes a guest appearance of
                    |includes guest vocals from|includes guest vocals by|includes guest vocals of
                    |includes contributions from|includes contributions by|includes contributions of
                    |includes cameos from|includes cameos by|includes cameos of
                    |included guest appearances from|included guest appearances by
                    |included guest appearances of|included a guest appearance from
                    |included a guest appearance by|included a guest appearance of
                    |included guest vocals from|included guest vocals by|included guest vocals of
                    |included contributions from|included contributions by|included contributions of
                    |included cameos from|included cameos by|included cameos of
                    |including guest appearances from|including guest appearances by
                    |including guest appearances of|including a guest appearance from
                    |including a guest appearance by|including a guest appearance of
                    |including guest vocals from|including guest vocals by|including guest vocals of
                    |including contributions from|including contributions by|including contributions of
                    |including cameos from|including cameos by|including cameos of
                """,
                is_reversed=True,
                subject_kinds=PEOPLE | GROUPS,
                object_kinds=WORKS,
            ),
            build_verb_wording(0.75, "edited edits", subject_kinds=PEOPLE),
            build_verb_wording(
                0.7,
                """
                    leads led maintains maintained manages managed headed heads oversees oversaw chairs
                    chaired commanded
                """,
                subject_kinds=PEOPLE,
                object_kinds=WORKS | PROGRAMS | EVENTS | {"Project"},
            ),
            build_verb_wording(0.7, "maintains maintained", subject_kinds=GROUPS),
            build_phrase_wording(
                0.75,
                """
                    worked on|works on|working on|contributed to|contributes to|leads the development of
                    |led the development of
                """,
            ),
            build_noun_wording(
                0.75,
                """
                    contributor to|maintainer of|committer on|committer of|committer to
                    |lead developer of|project leader of
                """,
            ),
            build_noun_wording(
                0.75,
                """
                    host of|host on|co-host of|co-host on|presenter of|presenter on|anchor of
                """,
                subject_kinds=PEOPLE,
                object_kinds=WORKS,
            ),
            build_verb_wording(
                0.7, "hosts hosted narrated narrates", subject_kinds=PEOPLE, object_kinds=WORKS
            ),
        ),
        roles=(Role(0.7, "maintainer architect"),),
        headers=(
            Header("Person", "Project", "project projects works_on maintains projekt projet"),
            Header(None, "Person", "maintainer maintainers lead team_lead project_lead", is_reversed=True),
            Header(
                "Project", "Person", "manager project_manager owner members team_members", is_reversed=True
            ),
            Header("Technology", "Organization", "team", is_reversed=True),
            Header(TASK, "Person", "assignee assigned_to owner responsible", is_reversed=True),
            Header(
                CUSTOMER,
                "Person",
                "owner account_owner account_manager sales_rep salesperson",
                is_reversed=True,
            ),
        ),
    ),
    RelationType(
        "acted_in",
        definition="A performs in the work B",
        example="A stars in B",
        is_specific=True,
        ends=Ends(sources=PEOPLE, never_targets=PEOPLE | PLACE_TYPES | EVENTS),
        synonyms="starred_in appeared_in stars_in cast_member_of",
        inverses="starring stars cast_member",
        wordings=(
            build_phrase_wording(
                0.8,
                """
                    starred in|stars in|co-starred in|appeared in|appears in|acted in|guest starred in
                """,
                subject_kinds=PEOPLE,
            ),
            build_phrase_wording(
                0.75,
                """
                    debut in|her role in|his role in|her roles in|his roles in|starring role in
                    |leading role in|title role in|her appearance in|his appearance in
                    |her appearances in|his appearances in|her performance in|his performance in
                    |her performances in|his performances in|star of|stars of
                """,
                subject_kinds=PEOPLE,
                object_kinds=WORKS,
            ),
            build_noun_wording(0.75, "lead role in", subject_kinds=PEOPLE, object_kinds=WORKS),
            build_phrase_wording(
                0.75,
                """
                    appeared on|appears on|appears live on|guest starred on|guest-starred on
                    |guest-starred in
                """,
                subject_kinds=PEOPLE,
                object_kinds=DOCUMENTS,
            ),
            build_phrase_wording(
                0.85,
                "starring|stars|starred|co-starring|also stars|also starred",
                is_reversed=True,
                subject_kinds=PEOPLE,
                object_kinds=WORKS,
            ),
            build_phrase_wording(
                0.75,
                "also features|features the voices of",
                is_reversed=True,
                subject_kinds=PEOPLE,
                object_kinds=WORKS,
            ),
        ),
        headers=(Header(WORK, "Person", "cast starring actors actor", is_reversed=True),),
    ),
    RelationType(
        "took_part_in",
        definition="A takes part in the event B",
        example="A competed at B",
        is_specific=True,
        ends=Ends(never_sources=EVENTS | CREATED_TYPES, targets=EVENTS),
        synonyms="participated_in competed_in fought_in",
        wordings=(
            build_phrase_wording(
                0.7, "played in|plays in|playing in", subject_kinds=PEOPLE, named_by=NamedBy.LEAGUES
            ),
            build_phrase_wording(
                0.8,
                """
                    participated in|competed in|competed at|competes in|runner-up in|runner-up at
                    |competitor in|competitor at|finalist in|finalist at|fought in|took part in
                    |served in|serving in|serving during|fought during|represented at
                    |represented his country at|represented her country at
                    |represented his native country at|represented her native country at
                """,
                object_kinds=EVENTS,
            ),
            build_noun_wording(0.8, "participant in|veteran of", object_kinds=EVENTS),
        ),
    ),
    RelationType(
        "received_award",
        definition="A was given the award B",
        example="A won prize B",
        is_specific=True,
        words_between_names="received the award",
        ends=Ends(never_sources=PLACE_TYPES | EVENTS, never_targets=PEOPLE | PLACE_TYPES),
        excludes_parts=True,
        synonyms="won_award awarded received_prize",
        wordings=(
            build_verb_wording(0.8, "won received awarded earned wins receives", named_by=NamedBy.AWARDS),
            build_noun_wording(0.8, "recipient of|winner of|laureate of", named_by=NamedBy.AWARDS),
        ),
    ),
    RelationType(
        "knows",
        definition="A and B met, worked together or taught one another",
        example="A studied under B",
        ends=Ends(sources=PEOPLE, targets=PEOPLE),
        symmetric=True,
        excludes_parts=True,
        synonyms="""
            met friend_of colleague_of student_of studied_under collaborated_with mentored taught
            advised worked_with
        """,
        wordings=(
            build_verb_wording(
                0.8,
                "met befriended advised mentored taught supervised tutored knows knew",
                subject_kinds=PEOPLE,
                object_kinds=PEOPLE,
            ),
            build_phrase_wording(
                0.75,
                """
                    worked with|works with|worked alongside|collaborated with|studied under|studied with
                    |partnered with
                """,
                subject_kinds=PEOPLE,
                object_kinds=PEOPLE,
            ),
            build_noun_wording(
                0.75,
                """
                    student of|friend of|colleague of|mentor of|friends with|teacher of|pupil of
                """,
                subject_kinds=PEOPLE,
                object_kinds=PEOPLE,
            ),
        ),
        roles=(Role(0.75, "student colleague friend mentor partner teacher"),),
        headers=(Header("Person", "Person", "knows friend friends colleague colleagues"),),
    ),
    RelationType(
        "educated_at",
        definition="A studied at the school B",
        example="A graduated from B",
        is_specific=True,
        words_between_names="was educated at",
        ends=Ends(sources=PEOPLE, targets=GROUPS),
        synonyms="studied_at graduated_from attended alumnus_of alma_mater",
        wordings=(
            build_phrase_wording(
                0.85,
                """
                    studied at|graduated from|graduating from|studying at|educated at|attended
                    |enrolled at|studies at|trained at|phd from|phd at|ph.d from|matriculated at
                """,
                subject_kinds=PEOPLE,
                object_kinds=GROUPS,
            ),
            build_noun_wording(
                0.85,
                """
                    degree from|alumnus of|alumna of|graduate of|degree at|student at|doctorate from
                    |doctorate at|diploma from|student of
                """,
                subject_kinds=PEOPLE,
                object_kinds=GROUPS,
            ),
        ),
        headers=(Header("Person", "Organization", "university school alma_mater college educated_at"),),
    ),
    RelationType(
        "parent_of",
        definition="A is B's father or mother",
        example="A is B's mother",
        is_specific=True,
        words_between_names="is a parent of",
        ends=Ends(sources=PEOPLE, targets=PEOPLE),
        timeless=True,
        synonyms="father_of mother_of has_child child children",
        inverses="child_of son_of daughter_of has_parent_person father mother",
        wordings=(
            build_verb_wording(0.8, "adopted", subject_kinds=PEOPLE, object_kinds=PEOPLE),
            build_noun_wording(
                0.85, "father of|mother of|parent of|parents of", subject_kinds=PEOPLE, object_kinds=PEOPLE
            ),
            build_phrase_wording(
                0.85, "born to", is_reversed=True, subject_kinds=PEOPLE, object_kinds=PEOPLE
            ),
            build_noun_wording(
                0.85,
                "son of|daughter of|child of|sons of|daughters of|children of|heir of",
                is_reversed=True,
                subject_kinds=PEOPLE,
                object_kinds=PEOPLE,
            ),
        ),
        roles=(
            Role(0.8, "father mother"),
            Role(0.8, "son daughter child sons daughters children", is_reversed=True),
        ),
        kin=(
            Kin("father fathers mother mothers parent parents dad mum mom stepparent", is_reversed=True),
            Kin("son sons daughter daughters child children kid kids"),
        ),
        headers=(Header("Person", "Person", "father mother", is_reversed=True),),
    ),
    RelationType(
        "sibling_of",
        definition="A and B have a parent in common",
        example="A is B's brother",
        is_specific=True,
        words_between_names="is a sibling of",
        ends=Ends(sources=PEOPLE, targets=PEOPLE),
        symmetric=True,
        timeless=True,
        synonyms="brother_of sister_of half_brother_of half_sister_of twin_of sibling",
        wordings=(
            build_noun_wording(
                0.85,
                """
                    brother of|sister of|half-brother of|half-sister of|twin of|brothers of|sisters of
                    |stepsister of|stepbrother of|sibling of
                """,
                subject_kinds=PEOPLE,
                object_kinds=PEOPLE,
            ),
        ),
        roles=(Role(0.8, "brother sister brothers sisters siblings half-brother half-sister"),),
        kin=(
            Kin(
                """
                    brother brothers sister sisters sibling siblings twin twins half-brother half-sister
                    half-brothers half-sisters half-siblings stepbrother stepsister
                """,
                is_reversed=True,
            ),
        ),
        mutual_words="""
            siblings|brothers|sisters|twins|half-brothers|half-sisters|half-siblings|brother and sister
        """,
    ),
    RelationType(
        "married_to",
        definition="A and B are or were spouses",
        example="A is B's wife",
        is_specific=True,
        words_between_names="is married to",
        ends=Ends(sources=PEOPLE, targets=PEOPLE),
        symmetric=True,
        ends_with_source=True,
        ends_with_target=True,
        has_term=True,
        undated_past_ends_it=True,
        excludes_parts=True,
        synonyms="married spouse_of wife_of husband_of widow_of spouse",
        wordings=(
            build_verb_wording(0.85, "married wed", subject_kinds=PEOPLE, object_kinds=PEOPLE),
            build_phrase_wording(
                0.85,
                "married to|wed to|wedded to|marriage to|marriage with",
                subject_kinds=PEOPLE,
                object_kinds=PEOPLE,
            ),
            build_noun_wording(
                0.85,
                "wife of|husband of|spouse of|widow of|widower of|consort of",
                subject_kinds=PEOPLE,
                object_kinds=PEOPLE,
            ),
        ),
        roles=(Role(0.8, "wife husband spouse widow"),),
        kin=(Kin("wife wives husband husbands spouse spouses widow widower", is_reversed=True),),
        mutual_words="spouses|married couple|husband and wife|man and wife",
        headers=(Header("Person", "Person", "spouse wife husband married_to"),),
    ),
    RelationType(
        "relative_of",
        definition="A and B are of one family in another way",
        standalone_definition="A and B are relatives",
        example="A is B's cousin",
        is_specific=True,
        words_between_names="is a relative of",
        ends=Ends(sources=PEOPLE, targets=PEOPLE),
        symmetric=True,
        timeless=True,
        synonyms="""
            cousin_of uncle_of aunt_of nephew_of niece_of grandson_of grandfather_of
        """,
        wordings=(
            build_phrase_wording(0.8, "descended from", subject_kinds=PEOPLE, object_kinds=PEOPLE),
            build_noun_wording(
                0.8,
                """
                    cousin of|nephew of|niece of|uncle of|aunt of|grandson of|granddaughter of
                    |grandfather of|grandmother of|great-grandson of|great-grandfather of|son-in-law of
                    |brother-in-law of|father-in-law of|sister-in-law of|stepson of|stepfather of
                    |descendant of|mother-in-law of|daughter-in-law of|stepmother of|stepdaughter of
                    |great-uncle of|great-aunt of|great-nephew of|great-niece of|great-granddaughter of
                    |great-grandmother of|cousins of|grandchild of|grandchildren of
                """,
                subject_kinds=PEOPLE,
                object_kinds=PEOPLE,
            ),
        ),
        roles=(
            Role(
                0.75,
                """
                    cousin nephew niece uncle aunt grandson granddaughter grandfather grandmother
                """,
            ),
        ),
        kin=(
            Kin(
                """
                    cousin cousins nephew nephews niece nieces uncle uncles aunt aunts grandson
                    grandsons granddaughter granddaughters grandchild grandchildren grandfather
                    grandmother grandparents great-grandson great-granddaughter great-grandfather
                    great-grandmother great-uncle great-aunt great-nephew great-niece son-in-law
                    daughter-in-law brother-in-law sister-in-law father-in-law mother-in-law stepson
                    stepdaughter stepfather stepmother stepchildren stepchild
                """,
                is_reversed=True,
            ),
        ),
        mutual_words="cousins",
    ),
    RelationType(
        "born_in",
        definition="the place B is A's birthplace",
        example="A was born in B",
        is_specific=True,
        single_valued=True,
        words_between_names="was born in",
        ends=Ends(sources=PEOPLE, targets=PLACE_TYPES),
        spreads_to_larger_places=True,
        survives_former=True,
        synonyms="born_at place_of_birth birthplace",
        wordings=(build_phrase_wording(0.85, "born", states_location=True, subject_kinds=PEOPLE),),
        headers=(Header("Person", "Location", "birthplace place_of_birth born_in birth_place geburtsort"),),
    ),
    RelationType(
        "died_in",
        definition="A's death was in the place B",
        example="A died in B",
        is_specific=True,
        ends=Ends(sources=PEOPLE, targets=PLACE_TYPES),
        spreads_to_larger_places=True,
        synonyms="died_at place_of_death",
        wordings=(build_phrase_wording(0.85, "died", states_location=True, subject_kinds=PEOPLE),),
    ),
    RelationType(
        "citizen_of",
        definition="A is a national of the country B",
        example="A has B's nationality",
        is_specific=True,
        words_between_names="is a citizen of",
        ends=Ends(sources=PEOPLE, targets=PLACE_TYPES),
        survives_former=True,
        nationality_of=PEOPLE,
        synonyms="has_nationality nationality country_of_citizenship",
        headers=(Header("Person", "Location", "citizenship nationality_country"),),
    ),
    RelationType(
        "within",
        definition="the place A is a part of the larger place B",
        example="town A lies in region B",
        is_specific=True,
        words_between_names="is within",
        ends=Ends(sources=PLACE_TYPES, targets=PLACE_TYPES),
        spreads_to_larger_places=True,
        is_derived_from_address=True,
        verbless_pairs=(
            VerblessPair(
                (
                    "state of",
                    "province of",
                    "city of",
                    "county of",
                    "island of",
                    "borough of",
                    "suburb of",
                ),
                PLACE_TYPES,
                PLACE_TYPES,
                0.7,
                is_reversed=True,
            ),
            VerblessPair((",",), PLACE_TYPES, PLACE_TYPES, 0.7, only_in_address=True),
            VerblessPair(
                (
                    "district ,",
                    "county ,",
                    "province ,",
                    "state ,",
                    "region ,",
                    "prefecture ,",
                    "parish ,",
                ),
                PLACE_TYPES,
                PLACE_TYPES,
                0.7,
                needs_certain_kind=True,
            ),
            VerblessPair(
                (
                    "of",
                    "of the",
                    "region of",
                    "district of",
                    "county of",
                    "neighborhood of",
                    "neighbourhood of",
                ),
                PLACE_TYPES,
                PLACE_TYPES,
                0.65,
                needs_certain_kind=True,
            ),
            VerblessPair(
                (
                    "in",
                    "in the",
                    ", in",
                    ", in the",
                ),
                PLACE_TYPES,
                PLACE_TYPES,
                0.65,
                needs_certain_kind=True,
            ),
        ),
    ),
    RelationType(
        "headquartered_in",
        definition="A is run from the place B",
        example="A has its head office in B",
        is_specific=True,
        words_between_names="is headquartered in",
        ends=Ends(never_sources=PEOPLE | CREATED_TYPES, targets=PLACE_TYPES),
        changing_end=ChangingEnd.TARGET,
        ended_by=("located_in",),
        ends_with_source=True,
        has_term=True,
        past_verbs=("headquartered",),
        spreads_to_larger_places=True,
        synonyms="has_headquarters_in",
        inverses="headquarters_of",
        wordings=(
            build_phrase_wording(0.9, "headquartered", states_location=True),
            build_phrase_wording(0.85, "moved its headquarters to", object_kinds=PLACE_TYPES),
            build_noun_wording(0.85, "headquarters in", object_kinds=PLACE_TYPES),
        ),
    ),
    RelationType(
        "located_in",
        definition="A is at the place B",
        example="A stands in B",
        words_between_names="is located in",
        question="Where is {start}?",
        ends=Ends(never_sources=PEOPLE, targets=PLACE_TYPES),
        one_way=True,
        changing_end=ChangingEnd.TARGET,
        ended_by=("headquartered_in",),
        has_term=True,
        past_verbs=("based", "located"),
        spreads_to_larger_places=True,
        nationality_of=PLACED_TYPES,
        synonyms="based_in is_located_in located_at situated_in city_in in is_in",
        inverses="location_of home_of",
        wordings=(
            build_phrase_wording(0.9, "located|based|situated", states_location=True),
            build_phrase_wording(
                0.65,
                """
                    held|took place|takes place|taking place|opened|moved|relocated|runs through
                    |flows through|occurred|fought
                """,
                states_location=True,
            ),
            build_phrase_wording(
                0.7,
                "bisected by|traversed by|crossed by|drained by",
                is_reversed=True,
                subject_kinds=PLACE_TYPES,
                object_kinds=PLACE_TYPES,
            ),
            build_phrase_wording(
                0.75, "border between|boundary between", subject_kinds=PLACE_TYPES, object_kinds=PLACE_TYPES
            ),
            build_phrase_wording(
                0.8,
                """
                    is the county seat of|is the administrative center of
                    |is the administrative centre of|city of|largest city in|largest city of|a city in
                    |a town in|a village in|offices in|a suburb of|a district of|a municipality in
                    |a county in|district in|neighborhood of|campus in|region of|province of|borders of
                    |island of|village in|town in|city in|county in|municipality in|river in
                """,
                object_kinds=PLACE_TYPES,
            ),
        ),
        verbless_pairs=(
            VerblessPair(("'s",), PLACE_TYPES, PLACED_TYPES, 0.6, needs_certain_kind=True, is_reversed=True),
            VerblessPair(
                (
                    "in",
                    "in the",
                ),
                EVENTS | PLACED_TYPES,
                PLACE_TYPES,
                0.65,
            ),
            VerblessPair((",",), GROUPS, PLACE_TYPES, 0.55, needs_certain_kind=True),
        ),
        headers=(
            Header(
                None,
                "Location",
                """
                    location city country town state region province headquarters hq based_in located_in
                    place district county ort stadt land hauptsitz standort ville pays venue datacenter
                    data_center
                """,
            ),
        ),
    ),
    RelationType(
        "lives_in",
        definition="A's home is in the place B",
        example="A resides in B",
        changing_end=ChangingEnd.TARGET,
        is_specific=True,
        ends=Ends(sources=PEOPLE, targets=PLACE_TYPES),
        ends_with_source=True,
        has_term=True,
        undated_past_ends_it=True,
        synonyms="lived_in resides_in resided_in resident_of",
        wordings=(
            build_phrase_wording(
                0.75,
                """
                    based|lives|lived|resides|resided|living|settled|moved|resident
                """,
                states_location=True,
                subject_kinds=PEOPLE,
            ),
        ),
        headers=(Header("Person", "Location", "residence lives_in home_town hometown wohnort"),),
    ),
    RelationType(
        "capital_of",
        definition="A is the seat of government of B",
        single_source=True,
        example="A is B's capital",
        is_specific=True,
        words_between_names="is the capital of",
        ends=Ends(sources=PLACE_TYPES, targets=PLACE_TYPES),
        synonyms="capital_city_of",
        inverses="has_capital",
        wordings=(
            build_noun_wording(
                0.9, "capital of|capital city of", subject_kinds=PLACE_TYPES, object_kinds=PLACE_TYPES
            ),
        ),
    ),
    RelationType(
        "originates_in",
        definition="A was first made or found in the place B",
        example="A comes from B",
        is_specific=True,
        ends=Ends(never_sources=PLACE_TYPES, targets=PLACE_TYPES),
        spreads_to_larger_places=True,
        survives_former=True,
        nationality_of=frozenset({"Document", "Product", "Technology"}),
        synonyms="country_of_origin originated_in",
        wordings=(build_phrase_wording(0.8, "native to|indigenous to|endemic to", object_kinds=PLACE_TYPES),),
        headers=(Header(WORK, "Location", "country country_of_origin"),),
    ),
    RelationType(
        "related_to",
        definition="A has to do with B in none of these ways",
        standalone_definition="A has to do with B",
        example="A is named after B",
        words_between_names="is related to",
        symmetric=True,
        synonyms="""
            relates_to associated_with is_related_to linked_to connected_to similar_to is_a about
        """,
        wordings=(
            build_phrase_wording(
                0.65,
                """
                    similar to|associated with|related to|named after|named for|named in honor of
                    |named in honour of|takes its name from|took its name from|taking its name from
                    |derives its name from|gets its name from|got its name from|competitor of
                    |competes with|nominated for|inspired by|influenced by|borrowed from
                    |allied with|modeled after|modelled after|modeled on|modelled on
                """,
            ),
            build_noun_wording(0.65, "tributary of|rival of"),
        ),
    ),
)

RELATION_TYPE_BY_NAME: Final = {entry.name: entry for entry in RELATION_TYPES}
DEFAULT_RELATION_TYPES: Final = tuple(entry.name for entry in RELATION_TYPES if not entry.is_specific)
"""Requirement 5.2."""
SPECIFIC_RELATION_TYPES: Final = tuple(entry.name for entry in RELATION_TYPES if entry.is_specific)
"""Types for people's lives, groups and places, in a space with `specific_relations`.

Without them, such claims are omitted instead of getting a wider type.
"""
ADDRESSES: Final = tuple(entry.name for entry in RELATION_TYPES if entry.is_derived_from_address)
"""Types that only state where a place lies, ignored by communities and summaries."""

EXISTS: Final = "exists"
"""The relation of an entity to itself, which is not in the registry: it is only ever denied, by a death or
the end of a group, and ends other claims about the entity.
"""

# Types that single rules refer to, such as marriages and sales.
PROVIDES: Final = RELATION_TYPE_BY_NAME["provides"]
USES: Final = RELATION_TYPE_BY_NAME["uses"]
INTEGRATES_WITH: Final = RELATION_TYPE_BY_NAME["integrates_with"]
REPLACES: Final = RELATION_TYPE_BY_NAME["replaces"]
DEPRECATES: Final = RELATION_TYPE_BY_NAME["deprecates"]
OWNS: Final = RELATION_TYPE_BY_NAME["owns"]
MEMBER_OF: Final = RELATION_TYPE_BY_NAME["member_of"]
PART_OF: Final = RELATION_TYPE_BY_NAME["part_of"]
HEAD_OF: Final = RELATION_TYPE_BY_NAME["head_of"]
CREATED: Final = RELATION_TYPE_BY_NAME["created"]
WORKS_FOR: Final = RELATION_TYPE_BY_NAME["works_for"]
REPORTS_TO: Final = RELATION_TYPE_BY_NAME["reports_to"]
ACTED_IN: Final = RELATION_TYPE_BY_NAME["acted_in"]
PARENT_OF: Final = RELATION_TYPE_BY_NAME["parent_of"]
MARRIED_TO: Final = RELATION_TYPE_BY_NAME["married_to"]
BORN_IN: Final = RELATION_TYPE_BY_NAME["born_in"]
SINGLE_VALUED: Final = tuple(entry.name for entry in RELATION_TYPES if entry.single_valued)
"""Relation types in which a source has one target by their meaning."""
SINGLE_SOURCE: Final = tuple(entry.name for entry in RELATION_TYPES if entry.single_source)
"""Relation types in which a target has one source at a time by their meaning."""
CHANGES_TARGET: Final = frozenset(
    entry.name for entry in RELATION_TYPES if entry.changing_end is ChangingEnd.TARGET
)
"""Relation types whose earlier targets a stated change ends."""
CHANGES_SOURCE: Final = frozenset(
    entry.name for entry in RELATION_TYPES if entry.changing_end is ChangingEnd.SOURCE
)
"""Relation types whose earlier sources a stated change ends."""
CONTAINMENT_RELATIONS: Final = ("within", "located_in", "part_of", "capital_of")
"""Relation types from a place to one that contains it: who is born in one is born in both."""
DIED_IN: Final = RELATION_TYPE_BY_NAME["died_in"]
CITIZEN_OF: Final = RELATION_TYPE_BY_NAME["citizen_of"]
WITHIN: Final = RELATION_TYPE_BY_NAME["within"]
HEADQUARTERED_IN: Final = RELATION_TYPE_BY_NAME["headquartered_in"]
LOCATED_IN: Final = RELATION_TYPE_BY_NAME["located_in"]
ORIGINATES_IN: Final = RELATION_TYPE_BY_NAME["originates_in"]
RELATED_TO: Final = RELATION_TYPE_BY_NAME["related_to"]
