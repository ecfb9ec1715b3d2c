-- list_node_pairs_with_common_spelling_key: pairs of nodes of the space with a common key of likely spellings.
SELECT DISTINCT a.node_id, b.node_id
FROM (SELECT k.key FROM node_name_key k WHERE k.knowledge_space_id = %(space_id)s AND k.key NOT LIKE '=%%'
      GROUP BY k.key HAVING count(*) BETWEEN 2 AND %(widest)s ORDER BY k.key LIMIT %(limit)s) AS shared
JOIN node_name_key a ON a.knowledge_space_id = %(space_id)s AND a.key = shared.key
JOIN node_name_key b ON b.knowledge_space_id = %(space_id)s AND b.key = shared.key AND a.node_id < b.node_id
ORDER BY 1, 2
LIMIT %(limit)s
