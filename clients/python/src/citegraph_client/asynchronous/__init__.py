"""The asynchronous client, from which the synchronous one is written (`make client`)."""
