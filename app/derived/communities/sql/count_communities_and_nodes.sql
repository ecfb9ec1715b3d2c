-- count_communities_and_nodes: how many communities a level has, and how many nodes they hold together.
SELECT count(*), coalesce(sum(member_count), 0)::bigint FROM community
WHERE knowledge_space_id = %(space_id)s AND level = %(level)s
