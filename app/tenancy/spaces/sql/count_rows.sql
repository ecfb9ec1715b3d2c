-- count_rows: the numbers of chunks, nodes and edges of the space, each counted up to :bound.
SELECT (SELECT count(*) FROM (SELECT 1 FROM knowledge_chunk WHERE knowledge_space_id = %(space_id)s LIMIT %(bound)s) AS c)
     + (SELECT count(*) FROM (SELECT 1 FROM graph_node WHERE knowledge_space_id = %(space_id)s LIMIT %(bound)s) AS n)
     + (SELECT count(*) FROM (SELECT 1 FROM graph_edge WHERE knowledge_space_id = %(space_id)s LIMIT %(bound)s) AS e)
