"""The file formats, one class in one file each; `app.documents.format_registry` finds them."""
