"""Methods and shapes written from the OpenAPI document by `make client`; not edited by hand."""
