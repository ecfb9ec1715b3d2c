-- copy_communities: communities into their stage.
COPY staged_community FROM STDIN (FORMAT BINARY)
