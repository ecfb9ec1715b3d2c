"""The summary gate as a table of cases, one for each number, default and rule of requirement 6."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from app.derived.summaries.delta import (
    NodeDelta,
    SummaryFact,
    compute_delta_of_claims,
    hash_facts,
    join_fact_keys,
    select_unseen_facts,
    split_fact_keys,
)
from app.derived.summaries.gate import (
    Decision,
    Episode,
    GateState,
    Reason,
    Vector,
    compute_cosine_distance_or_max,
    compute_drift_threshold,
    compute_time_to_evaluate_deferred_node,
    decide_refresh,
    replay_decisions,
    sum_normalised_vectors,
)
from app.derived.summaries.gate_settings import FIRM_LENGTH, GateSettings
from app.domain.scoring.negation import is_negated
from app.llm.embedding.hashed import HashedEmbedder
from benchmarks.data.summary_feed import CONTRADICTION, FIRST, LOOK, REAL, Feed, Labelled, Vectors

START = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = GateSettings(
    drift_threshold=0.001,
    burst_window=timedelta(minutes=5),
    burst_episodes=3,
    burst_cap=4,
    staleness_limit=timedelta(days=30),
)
NEAR: Vector = np.array([1.0, 0.03], np.float32)
FAR: Vector = np.array([0.0, 1.0], np.float32)
OLD: Vector = np.array([1.0, 0.0], np.float32)
# Many facts that say the same, and as many with one that is nothing like them.
MANY: Vector = np.array([500.0, 0.0], np.float32)
MANY_AND_ONE: Vector = np.array([500.0, 1.0], np.float32)
MANY_AND_A_LIKE_ONE: Vector = np.array([500.99, 0.1], np.float32)
FACT = SummaryFact("Acme", "created", "Rocket", "Acme created the Rocket.")
DENIAL = SummaryFact("Acme", "owns", "Rocket", "Acme no longer owns the Rocket.")


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def state(**changes: object) -> GateState:
    """A node that was summarised at the start, long out of any burst."""
    base: dict[str, object] = {"facts_hash": "old", "embedding": OLD, "summarised_at": START}
    return GateState(**{**base, **changes})  # type: ignore[arg-type]


def episode(
    minutes: float = 60,
    *,
    hash: str = "new",
    vector: Vector | None = FAR,
    new: tuple[SummaryFact, ...] = (FACT,),
    invalidated: tuple[SummaryFact, ...] = (),
) -> Episode:
    delta = NodeDelta(bool(new), any(fact.is_denied for fact in new), bool(invalidated), at(minutes))
    return Episode(delta, hash, vector)


BUSY = (at(58), at(59))
CASES: dict[str, tuple[GateState, Episode, bool, Reason]] = {
    "no summary yet": (GateState(), episode(), True, Reason.FIRST),
    "unchanged fact hash: skip": (state(), episode(hash="old"), False, Reason.UNCHANGED),
    "pooled embedding within drift_threshold: skip": (state(), episode(vector=NEAR), False, Reason.WITHIN_DRIFT),  # noqa: E501
    "pooled embedding beyond drift_threshold": (state(), episode(), True, Reason.DRIFTED),
    "one fact among many, unlike them all: refresh": (
        state(embedding=MANY), episode(vector=MANY_AND_ONE), True, Reason.DRIFTED,
    ),
    "one fact among many, like them all: skip": (
        state(embedding=MANY), episode(vector=MANY_AND_A_LIKE_ONE), False, Reason.WITHIN_DRIFT,
    ),
    "many facts, called otherwise and the same: skip": (
        state(embedding=MANY), episode(vector=MANY), False, Reason.WITHIN_DRIFT,
    ),
    "a mean, as it was kept of before, and the sum of the same facts: skip": (
        state(embedding=MANY / 500), episode(vector=MANY), False, Reason.WITHIN_DRIFT,
    ),
    "a negation: refresh": (state(), episode(vector=NEAR, new=(DENIAL,)), True, Reason.NEGATION),
    "a negation in a burst: refresh": (
        state(recent_moments=BUSY), episode(new=(DENIAL,)), True, Reason.NEGATION,
    ),
    "a negation that is known already: skip": (state(), episode(hash="old", new=(DENIAL,)), False, Reason.UNCHANGED),  # noqa: E501
    "an invalidated fact: refresh": (state(), episode(vector=NEAR, invalidated=(FACT,)), True, Reason.INVALIDATED),  # noqa: E501
    "an invalidated fact in a burst: refresh": (
        state(recent_moments=BUSY), episode(invalidated=(FACT,)), True, Reason.INVALIDATED,
    ),
    "several episodes within burst_window: defer": (
        state(recent_moments=BUSY), episode(), False, Reason.BURST,
    ),
    "episodes before burst_window are no burst": (state(recent_moments=(at(54), at(55))), episode(), True, Reason.DRIFTED),  # noqa: E501
    "burst_cap reached: refresh": (state(recent_moments=BUSY, deferred_count=3, is_pending=True), episode(), True, Reason.BURST_CAP),  # noqa: E501
    "the burst has ended: refresh what it held off": (
        state(recent_moments=(at(1),), deferred_count=2, is_pending=True),
        episode(new=()), True, Reason.BURST_ENDED,
    ),
    "what a burst held off came to nothing": (
        state(recent_moments=(at(1),), deferred_count=2, is_pending=True), episode(hash="old", new=()), False,
        Reason.UNCHANGED,
    ),
    "what a burst held off stayed within drift_threshold: skip": (
        state(recent_moments=(at(1),), deferred_count=2, is_pending=True), episode(vector=NEAR, new=()), False, Reason.WITHIN_DRIFT,  # noqa: E501
    ),
    "burst_cap reached, within drift_threshold: skip": (
        state(recent_moments=BUSY, deferred_count=3, is_pending=True),
        episode(vector=NEAR), False, Reason.WITHIN_DRIFT,
    ),
    "older than staleness_limit: refresh": (state(), episode(60 * 24 * 31, vector=NEAR), True, Reason.STALE),
    "older than staleness_limit though unchanged: the later rule wins": (
        state(), episode(60 * 24 * 31, hash="old"), True, Reason.STALE,
    ),
    "not yet older than staleness_limit": (state(), episode(60 * 24 * 30, hash="old"), False, Reason.UNCHANGED),  # noqa: E501
    "no vector to vouch for likeness": (state(embedding=None), episode(vector=None), True, Reason.DRIFTED),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_case(name: str) -> None:
    before, happened, refresh, reason = CASES[name]
    decision = decide_refresh(before, happened, SETTINGS)
    assert (decision.is_refresh, decision.reason) == (refresh, reason)
    assert decision.state.last_reason is reason


class TestState:
    def test_it_is_saved_whether_or_not_the_summary_ran(self) -> None:
        skipped = decide_refresh(state(recent_moments=BUSY), episode(), SETTINGS).state
        assert skipped.recent_moments == (*BUSY, at(60))
        assert (skipped.is_in_burst, skipped.deferred_count, skipped.is_pending) == (True, 1, True)
        refreshed = decide_refresh(state(), episode(), SETTINGS).state
        assert (refreshed.facts_hash, refreshed.summarised_at) == ("new", at(60))
        assert refreshed.embedding is FAR

    def test_what_was_decided_ends_what_a_burst_held_off(self) -> None:
        busy = state(recent_moments=BUSY, deferred_count=3, is_pending=True)
        for happened in (episode(), episode(vector=NEAR), episode(hash="old"), episode(new=(DENIAL,))):
            after = decide_refresh(busy, happened, SETTINGS).state
            assert (after.deferred_count, after.is_pending) == (0, False)
            assert compute_time_to_evaluate_deferred_node(after, SETTINGS) is None

    def test_a_skip_keeps_hash_and_vector_of_the_summary(self) -> None:
        """Small changes add up until they count: each is compared with the summary, not with the last
        skip.
        """
        skipped = decide_refresh(state(), episode(vector=NEAR), SETTINGS).state
        assert (skipped.facts_hash, skipped.summarised_at) == ("old", START)
        assert skipped.embedding is OLD

    def test_episode_times_outside_the_window_are_forgotten(self) -> None:
        assert decide_refresh(
            state(recent_moments=(at(1), at(58))), episode(), SETTINGS
        ).state.recent_moments == (
            at(58),
            at(60),
        )

    def test_a_look_at_the_clock_is_no_episode(self) -> None:
        assert (
            decide_refresh(state(recent_moments=BUSY), episode(new=()), SETTINGS).state.recent_moments == BUSY
        )

    def test_a_deferred_node_is_due_when_its_burst_ends(self) -> None:
        assert compute_time_to_evaluate_deferred_node(
            state(recent_moments=BUSY, is_pending=True), SETTINGS
        ) == at(64)
        assert compute_time_to_evaluate_deferred_node(state(recent_moments=BUSY), SETTINGS) is None


class TestDefaults:
    def test_drift_threshold_is_a_thousandth(self) -> None:
        assert GateSettings().drift_threshold == 0.001

    def test_burst_of_three_within_five_minutes_held_off_twenty_times_at_most(self) -> None:
        own = GateSettings()
        assert (own.burst_episodes, own.burst_window, own.burst_cap) == (3, timedelta(minutes=5), 20)

    def test_staleness_limit_is_thirty_days(self) -> None:
        assert GateSettings().staleness_limit == timedelta(days=30)


class TestFacts:
    def test_the_hash_does_not_depend_on_order_number_or_wording(self) -> None:
        again = SummaryFact("Acme", "created", "Rocket", "The Rocket was created by Acme.")
        other = SummaryFact("Acme", "owns", "Rocket")
        assert hash_facts([FACT, other]) == hash_facts([other, again, FACT])
        assert hash_facts([FACT]) != hash_facts([other])
        assert hash_facts([]) != hash_facts([FACT])

    def test_a_sentence_that_denies_is_another_fact(self) -> None:
        denied = SummaryFact("Acme", "created", "Rocket", "Acme never created the Rocket.")
        assert hash_facts([FACT]) != hash_facts([FACT, denied])
        assert compute_delta_of_claims([FACT.claim_hash], [FACT, denied], moment=START).has_added_denial

    @pytest.mark.parametrize(
        ("sentence", "expected"),
        [
            ("Acme does not own it.", True),
            ("Acme doesn't own it.", True),
            ("Acme no longer sells it.", True),
            ("Neither owns it.", True),
            ("Its former owner was Acme.", True),
            ("Acme made a note of it.", False),
            ("Acme knots ropes in Nottingham.", False),
        ],
    )
    def test_negation(self, sentence: str, expected: bool) -> None:
        assert is_negated(sentence) is expected

    def test_delta_tells_what_came_and_what_went(self) -> None:
        delta = compute_delta_of_claims([FACT.claim_hash], [DENIAL], moment=START)
        assert delta == NodeDelta(has_added_fact=True, has_added_denial=True, has_removed_fact=True, at=START)
        assert select_unseen_facts([FACT.claim_hash], [FACT, DENIAL, DENIAL]) == [DENIAL]
        assert compute_delta_of_claims([FACT.claim_hash], [FACT], moment=START).is_empty

    def test_of_a_node_with_more_facts_than_are_looked_at_none_is_said_to_have_gone(self) -> None:
        assert compute_delta_of_claims(
            [FACT.claim_hash], [DENIAL], moment=START, is_complete=False
        ) == NodeDelta(has_added_fact=True, has_added_denial=True, has_removed_fact=False, at=START)

    def test_facts_are_known_again_by_their_keys_whatever_their_nodes_are_called(self) -> None:
        told = SummaryFact("Acme", "created", "Rocket", "Acme created it.", ("1", "2"))
        renamed = SummaryFact("Acme Inc.", "created", "Rocket", "Acme created it.", ("1", "2"))
        another = SummaryFact("Acme", "created", "Rocket", "Acme created it.", ("1", "3"))
        assert split_fact_keys(join_fact_keys([told, DENIAL, told])) == {told.claim_hash, DENIAL.claim_hash}
        assert told.claim_hash == renamed.claim_hash
        assert len({told.claim_hash, another.claim_hash, FACT.claim_hash}) == 3


def test_drift_threshold_itself_is_within_it() -> None:
    exact = replace(SETTINGS, drift_threshold=0.0)
    assert decide_refresh(state(), episode(vector=OLD), exact).reason is Reason.WITHIN_DRIFT


def test_drift_is_a_cosine_distance_of_pooled_vectors() -> None:
    assert compute_cosine_distance_or_max(OLD, OLD) == pytest.approx(0)
    assert compute_cosine_distance_or_max(OLD, FAR) == pytest.approx(1)
    assert compute_cosine_distance_or_max(OLD, -OLD) == pytest.approx(2)
    assert compute_cosine_distance_or_max(OLD, np.zeros(2, np.float32)) == 2
    assert sum_normalised_vectors([]) is None
    together = sum_normalised_vectors([2 * OLD, FAR])
    assert together is not None
    assert together.tolist() == pytest.approx([1, 1])


class TestThreshold:
    """One fact weighs the same among many as among few."""

    def test_it_is_the_drift_threshold_up_to_a_length_of_5(self) -> None:
        assert FIRM_LENGTH == 5
        for length in (0.0, 0.3, 1.0, 5.0):
            assert compute_drift_threshold(SETTINGS, length * OLD) == SETTINGS.drift_threshold
        assert compute_drift_threshold(SETTINGS, None) == SETTINGS.drift_threshold

    @pytest.mark.parametrize("length", [10, 100, 1_000])
    def test_past_that_it_falls_as_what_one_fact_moves(self, length: int) -> None:
        assert compute_drift_threshold(SETTINGS, length * OLD) == pytest.approx(
            SETTINGS.drift_threshold * (5 / length) ** 2
        )
        moved = compute_cosine_distance_or_max(length * OLD, length * OLD + FAR)
        assert moved / compute_drift_threshold(GateSettings(), length * OLD) == pytest.approx(20, rel=0.01)

    def test_a_higher_drift_threshold_is_more_patient_with_many_facts_too(self) -> None:
        patient = GateSettings(drift_threshold=0.05)
        decision = decide_refresh(state(embedding=MANY), episode(vector=MANY_AND_ONE), patient)
        assert decision.reason is Reason.WITHIN_DRIFT


@pytest.fixture(scope="module")
def vectors() -> Vectors:
    """Those that ingest makes without a model."""
    return Vectors(HashedEmbedder())


@pytest.fixture(scope="module", params=[3, 10, 40, 120])
def decided(request: pytest.FixtureRequest, vectors: Vectors) -> list[tuple[list[Decision], list[Labelled]]]:
    """For each node of the benchmark's feed, of so many facts at first, what the gate decided and was
    asked.
    """
    feed = Feed(7, vectors, facts=request.param).run(1_000)
    return [
        (replay_decisions([decision.episode for decision in told], GateSettings())[0], told)
        for told in feed.told.values()
    ]


class TestReplay:
    def test_it_skips_at_least_80_per_cent_of_a_feed_of_1000_small_updates(
        self, decided: list[tuple[list[Decision], list[Labelled]]]
    ) -> None:
        verdicts = [
            decision.is_refresh
            for decisions, told in decided
            for decision, label_case in zip(decisions, told, strict=True)
            if label_case.label not in (FIRST, LOOK)
        ]
        assert len(verdicts) == 1_000
        assert sum(verdicts) <= 200

    def test_and_misses_no_labelled_real_change(
        self, decided: list[tuple[list[Decision], list[Labelled]]]
    ) -> None:
        changes = 0
        for decisions, told in decided:
            for place, label_case in enumerate(told):
                if label_case.label in REAL:
                    changes += 1
                    assert any(decision.is_refresh for decision in decisions[place:]), (
                        place,
                        label_case.label,
                    )
                if label_case.label == CONTRADICTION:
                    assert decisions[place].is_refresh
        assert changes > 80

    def test_the_same_history_always_gives_the_same_decisions(self, vectors: Vectors) -> None:
        one, two = (
            [
                [
                    decision.reason
                    for decision in replay_decisions([decision.episode for decision in told], GateSettings())[
                        0
                    ]
                ]
                for told in Feed(3, vectors).run(200).told.values()
            ]
            for _ in range(2)
        )
        assert one == two

    def test_counters_by_reason(self) -> None:
        history = [episode(0), episode(60, hash="new"), episode(120, hash="x", vector=OLD)]
        decisions, counters = replay_decisions(history, SETTINGS)
        assert [decision.reason for decision in decisions] == [Reason.FIRST, Reason.UNCHANGED, Reason.DRIFTED]
        assert counters.refreshed == {Reason.FIRST: 1, Reason.DRIFTED: 1}
        assert counters.skipped == {Reason.UNCHANGED: 1}
        assert counters.skipped_share == pytest.approx(1 / 3)
