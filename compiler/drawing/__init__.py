"""Drawing: the layered layout of a plan's graph."""
