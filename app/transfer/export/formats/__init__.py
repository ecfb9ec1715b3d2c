"""The export formats, one writer in one file each; `app.transfer.export.format_registry` lists them."""
