-- stage_communities: where communities are copied to before they are written, a parent of zeros is none.
CREATE TEMPORARY TABLE staged_community (id uuid, level smallint, parent_id uuid, members int, weight float8,
    inner_weight float8, content uuid, fresh boolean, title text) ON COMMIT DROP
