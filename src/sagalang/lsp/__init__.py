"""The language server: what it answers is pure; the wire is in `server`."""
