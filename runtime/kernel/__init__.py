"""The kernel: events in, commands out, with no clock, no chance and no I/O."""
