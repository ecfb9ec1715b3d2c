-- empty_communities: make room for the next slice of communities.
TRUNCATE staged_community
