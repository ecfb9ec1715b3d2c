"""Communities over HTTP: pages by level, one with its report, detection on demand (requirement 7)."""

from typing import Any

from tests.api.conftest import Account, World, detect_communities


def get(world: World, account: Account, path: str, **params: Any) -> dict[str, Any]:
    answer = world.http.get(
        f"{account.space}/graph/communities{path}", headers=account.bearer(), params=params
    )
    assert answer.status_code == 200, answer.text
    found: dict[str, object] = answer.json()
    return found


class TestCommunities:
    def test_pages_go_through_all_of_a_level_once(self, world: World) -> None:
        whole = get(world, world.a, "", level=0)["items"]
        assert isinstance(whole, list)
        assert len(whole) > 1
        seen: list[Any] = []
        cursor = None
        while True:
            page = get(world, world.a, "", level=0, limit=1, **({"cursor": cursor} if cursor else {}))
            seen += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert [community["id"] for community in seen] == [community["id"] for community in whole]
        assert [community["member_count"] for community in seen] == sorted(
            (community["member_count"] for community in seen), reverse=True
        )

    def test_one_shows_members_and_findings_that_cite_edges(self, world: World) -> None:
        found = get(world, world.a, f"/{world.a.community_id}")
        assert found["reported_by"] == "rules"
        assert len(found["members"]) == found["member_count"]
        cited = {edge for finding in found["findings"] for edge in finding["edge_ids"]}
        edges = world.http.get(
            f"{world.a.space}/graph/edges", headers=world.a.bearer(), params={"limit": 200}
        )
        assert cited
        assert cited <= {edge["id"] for edge in edges.json()["items"]}

    def test_a_level_without_communities_is_empty(self, world: World) -> None:
        assert get(world, world.a, "", level=9)["items"] == []

    def test_a_document_taken_out_is_a_change_of_the_graph(self, world: World, guest: Account) -> None:
        sent = {"text": "Ada Lovelace created Analytical Engine Notes.", "source_uri": "notes"}
        made = world.http.post(f"{guest.space}/documents", headers=guest.bearer(), json=sent).json()
        world.drain()
        detect_communities(world.citegraph, guest.home)
        url = f"{guest.space}/documents/{made['documents'][0]['id']}"
        world.http.delete(url, headers=guest.bearer(), params={"prune": True})
        listed = world.http.get(f"{guest.space}/jobs", headers=guest.bearer()).json()["items"]
        queued = sorted(job["kind"] for job in listed if job["state"] == "queued")
        assert queued == ["communities.detect", "summaries.refresh"]
        detect_communities(world.citegraph, guest.home)
        assert get(world, guest, "")["items"] == []

    def test_detection_on_demand_is_one_job_however_often_it_is_asked_for(
        self, world: World, guest: Account
    ) -> None:
        url = f"{guest.space}/graph/communities/detect"
        jobs = [world.http.post(url, headers=guest.bearer("write")) for _ in range(2)]
        assert [job.status_code for job in jobs] == [202, 202]
        assert jobs[0].json()["id"] == jobs[1].json()["id"]
        assert jobs[0].json()["kind"] == "communities.detect"
        assert world.http.post(url, headers=guest.bearer("read")).status_code == 403
        detect_communities(world.citegraph, guest.home)
        done = world.http.get(f"{guest.space}/jobs/{jobs[0].json()['id']}", headers=guest.bearer()).json()
        assert done["state"] == "done"
