"""The journal: the durable log of a run, written before and after every call."""
