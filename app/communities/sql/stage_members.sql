-- stage_members: where members are copied to before they are written: COPY into a walled table is refused.
CREATE TEMPORARY TABLE staged_member (node_id uuid, community_id uuid, weight real, fresh boolean) ON COMMIT DROP
