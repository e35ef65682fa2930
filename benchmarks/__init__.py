"""Measurements of the language and the runtime, each beside something bare on the same machine."""
