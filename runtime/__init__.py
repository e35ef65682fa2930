"""The runtime: everything that a compiled saga needs to run, recover and be looked at."""
