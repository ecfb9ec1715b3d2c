-- copy_members: members into their stage.
COPY staged_member FROM STDIN (FORMAT BINARY)
