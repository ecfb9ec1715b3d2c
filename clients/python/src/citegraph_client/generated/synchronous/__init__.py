"""The synchronous client, written from the asynchronous one by `make client`; not edited."""
