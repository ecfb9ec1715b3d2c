-- delete_titles_of_deleted_communities: delete the titles of communities that no longer exist from events, since their members are unknown.
UPDATE community_event SET title = ''
WHERE knowledge_space_id = %(space_id)s AND title <> '' AND NOT EXISTS (
    SELECT 1 FROM community
    WHERE community.knowledge_space_id = %(space_id)s AND community.id = community_event.community_id
)
