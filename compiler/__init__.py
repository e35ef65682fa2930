"""The compiler: a typed tree in, a plan, its proofs and the target texts out."""
