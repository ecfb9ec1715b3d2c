"""Taking documents in: by rules, through a model, and what summaries and estimates cost."""
