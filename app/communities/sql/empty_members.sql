-- empty_members: make room for the next slice of members.
TRUNCATE staged_member
