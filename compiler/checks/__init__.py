"""The checks: one file for each code that the compiler can give."""
