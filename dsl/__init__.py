"""The language as values: text in, typed tree and diagnostics out."""
