r"""The pages that `saga explain` shows, one for each code.

The form of a page, which `tests/compiler/test_explain.py` holds every page to:

- `# CODE · title`, the title as the code declares it, then the severity on a line of its own,
  `*error*`, `*warning*`, `*hint*`.
- A paragraph in simple words; where there is a story to tell, `## Why`.
- `## Wrong`: a block `saga` that gives exactly this code and no other, then a block `text` with
  the message it gives, or the part of it that matters (lines are joined by a blank).
- `## Right`: a block `saga` that gives no diagnostic at all.
- `## See also`, where there is something: codes and words to read on.

Further blocks of a part, opened as ```` ```saga NAME.saga ````, are files beside the first, for
imports. Where the first is opened as ```` ```saga escaped ````, bytes that cannot stand in a page
are written as `\xff` and `\r`.
"""
