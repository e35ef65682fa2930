"""The engine: it carries out what the kernel commands, and logs what came of it."""
