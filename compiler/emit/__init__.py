"""The emitters: a plan in, one target text out."""
