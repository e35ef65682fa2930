"""The language as text: the grammar, and malformed programs that teach its syntax errors."""
