"""Lowering: the typed tree of each clean saga becomes its plan."""
