"""What other programs colour the language with: made from the grammar, so that it cannot lag."""
