"""The one document on stdout: what tools print while it is made goes to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import TextIO


@contextmanager
def document(wanted: bool) -> Generator[TextIO | None]:
    """Keeps stdout for one document, when one is wanted, and gives the stream to write it to.

    Whatever else is written to stdout inside the block goes to stderr: by `print`, by C code, by
    child processes. Not wanted: nothing is changed, and it gives None.
    """
    if not wanted:
        yield None
        return
    with ExitStack() as stack:
        out = sys.stdout
        out.flush()
        try:
            number, other = out.fileno(), sys.stderr.fileno()
        except (OSError, ValueError):
            pass  # A stream without a file, as in notebooks: nothing but Python writes to it.
        else:
            kept = os.dup(number)
            out = stack.enter_context(
                os.fdopen(kept, "w", encoding=out.encoding, errors=out.errors)
            )
            stack.callback(os.dup2, kept, number)
            os.dup2(other, number)
        stack.enter_context(redirect_stdout(sys.stderr))
        yield out
        out.flush()
