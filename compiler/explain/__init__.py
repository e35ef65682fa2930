"""The pages that `saga explain` shows, one for each code.

The form of a page, which `tests/compiler/test_explain.py` holds every page to:

- `# CODE · title`, the title as the code declares it, then the severity on a line of its own:
  `*error*`, `*warning*`, `*hint*`.
- A paragraph in simple words, then `## Why`: what goes wrong, as a concrete story.
- `## Wrong`: a block `saga` that gives exactly this code and no other, then a block `text` with the
  message it gives, word for word (lines are joined by a blank).
- `## Right`: a block `saga` that gives no diagnostic at all.
- `## See also`: codes and words to read on.

A block may be opened as ```` ```saga NAME.saga ````: another file beside the main one, for imports.
Opened as ```` ```saga escaped ```` it is read with the escapes of a Python bytes literal, for what
cannot stand in a page: `\xff`, `\r`, `\x00`.
"""
