-- delete_passed_on_answers: delete the answers that were passed on with leases: they may contain any text of the space.
DELETE FROM model_answer_lease WHERE knowledge_space_id = %(space_id)s AND answer IS NOT NULL
