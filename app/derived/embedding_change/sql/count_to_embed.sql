-- count_to_embed: the numbers of texts that a space has to embed: chunks and their tokens, nodes, facts, and claims with different words.
SELECT
    (SELECT count(*) FROM knowledge_chunk c WHERE c.knowledge_space_id = %(space_id)s),
    (SELECT coalesce(sum(c.token_count), 0) FROM knowledge_chunk c WHERE c.knowledge_space_id = %(space_id)s),
    (SELECT count(*) FROM graph_node n WHERE n.knowledge_space_id = %(space_id)s),
    (SELECT count(*) FROM graph_edge e WHERE e.knowledge_space_id = %(space_id)s),
    (SELECT count(*) FROM (
        SELECT 1 FROM graph_edge e WHERE e.knowledge_space_id = %(space_id)s
        GROUP BY e.from_node_id, e.to_node_id, e.relation_type
    ) AS claim)
