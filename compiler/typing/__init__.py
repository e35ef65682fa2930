"""Typing: every expression with its type and the tree that the plan carries."""
