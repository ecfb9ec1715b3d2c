-- count_rows: the number of rows of each kind in an export of the space, in the order of the kinds.
SELECT
    (SELECT count(*) FROM document WHERE knowledge_space_id = %(space_id)s) AS document,
    (SELECT count(*) FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s) AS chunk,
    (SELECT count(*) FROM graph_node WHERE knowledge_space_id = %(space_id)s) AS node,
    (SELECT count(*) FROM node_mention WHERE knowledge_space_id = %(space_id)s) AS mention,
    (SELECT count(*) FROM node_attribute WHERE knowledge_space_id = %(space_id)s) AS attribute,
    (SELECT count(*) FROM graph_edge WHERE knowledge_space_id = %(space_id)s AND deleted_at IS NULL) AS edge,
    (SELECT count(*) FROM edge_invalidation WHERE knowledge_space_id = %(space_id)s) AS ending
