"""Sagas in a notebook: magics, cards and widgets."""
