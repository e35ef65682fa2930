"""Proving: what a plan's runs can do, and what every check and promise stands on."""
