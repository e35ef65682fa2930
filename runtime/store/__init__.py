"""The event store: the journal's events in DuckDB, to be queried."""
