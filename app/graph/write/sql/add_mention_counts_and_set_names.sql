-- add_mention_counts_and_set_names: apply the changes of new or deleted mentions to nodes; a rename is skipped if another node has that name and type.
WITH input AS (
    SELECT * FROM unnest(%(ids)s::uuid[], %(counts)s::int[], %(names)s::text[], %(normalised)s::text[],
        %(types)s::text[], %(metadata)s::text[], %(confidences)s::real[])
        AS t(id, mentions, name, normalised, node_type, metadata, confidence)
), free AS (
    -- Looked up only for nodes that change their name or type, and by name only: while statistics are older than the
    -- rows, the index by type looks as good as the one by name, and reads every node of the type for each row.
    SELECT input.*, (standing.canonical_name = input.name AND standing.node_type = input.node_type) OR NOT EXISTS (
        SELECT 1 FROM graph_node o
        WHERE o.knowledge_space_id = %(space_id)s AND o.canonical_name = input.name
          AND o.node_type IS NOT DISTINCT FROM input.node_type AND o.id <> input.id) AS may_rename
    FROM input
    JOIN graph_node standing ON standing.knowledge_space_id = %(space_id)s AND standing.id = input.id
), renamed AS (
    UPDATE node_name SET kind = CASE WHEN node_name.normalised_name = free.normalised THEN 'canonical' ELSE 'alias' END
    FROM free
    WHERE node_name.knowledge_space_id = %(space_id)s AND node_name.node_id = free.id AND node_name.kind <> 'short'
      AND free.may_rename AND (node_name.normalised_name = free.normalised) <> (node_name.kind = 'canonical')
)
UPDATE graph_node SET
    mention_count = mention_count + free.mentions,
    canonical_name = CASE WHEN free.may_rename THEN free.name ELSE graph_node.canonical_name END,
    node_type = CASE WHEN free.may_rename THEN free.node_type ELSE graph_node.node_type END,
    -- Attributes are set from their own rows, and are not changed here.
    metadata = (graph_node.metadata - 'senseVotes' - 'lessTrustedVotes') || (free.metadata::jsonb - 'attributes'),
    confidence = greatest(
        CASE WHEN mention_count = 0 AND out_degree + in_degree = 0 THEN 0 ELSE graph_node.confidence END,
        free.confidence),
    last_seen_at = CASE WHEN free.mentions > 0 THEN (SELECT now()) ELSE last_seen_at END,
    updated_at = now()
FROM free
WHERE graph_node.knowledge_space_id = %(space_id)s AND graph_node.id = free.id
