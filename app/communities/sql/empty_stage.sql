-- empty_stage: make room for the next slice of members.
TRUNCATE staged_member
