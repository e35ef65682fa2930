"""Resolving: every name bound to what it means, every statement in its place and order."""
