"""Words by which other languages begin a declaration, a statement or a clause (S101)."""

from __future__ import annotations

from .diagnostics import Diagnostic, Fix, problem, replacement
from .place import Place
from .span import Span

_FUNCTION = "A tool or a saga is declared here, not a function."
_RECORD = "Data is declared as a record."
_SAGA = "A workflow is declared as a saga."
_TOOL = "What changes something outside is a tool; a step of a saga calls it."
_LET = "A value is named by `let`."
_BRANCH = "One of two branches is taken by `if`."
_FAILS = "A saga fails where something required does not hold."
_FAILURE = "What runs after a failure is a scope's `else`."
_UNDONE = "How a step is undone stands in its tool, or in a block behind the step's call."
_AFTER = "What has to be settled before a step is named by `after`."
_IMPORT = "An import lists names and the file that they come from."

_FORM_TOOL = "tool NAME(a: str) -> T { ... }"
_FORM_SAGA = "saga NAME(a: str) { ... }"
_FORM_RECORD = "record Order { id: str, total: decimal }"
_FORM_IF = "if E { ... } else { ... }"
_FORM_SCOPE = "scope NAME { ... } else { ... }"
_FORM_EACH = "each NAME = x in LIST { ... }"
_FORM_REPEAT = "repeat NAME = x from START at most 10 times { ... next x }"
_FORM_REQUIRES = 'requires E else "..."'
_FORM_UNDO = "step NAME = call(...) { undo TOOL(arguments) }"
_FORM_STEP = "step NAME = call(...)"
_FORM_IMPORT = 'import { charge, refund } from "payments.saga"'

# Nobody means a name by these where a statement begins.
_WORDS = {
    "def": (_FUNCTION, _FORM_TOOL),
    "fn": (_FUNCTION, _FORM_TOOL),
    "func": (_FUNCTION, _FORM_SAGA),
    "function": (_FUNCTION, _FORM_SAGA),
    "class": (_RECORD, _FORM_RECORD),
    "struct": (_RECORD, _FORM_RECORD),
    "interface": (_RECORD, _FORM_RECORD),
    "dataclass": (_RECORD, _FORM_RECORD),
    "type": ("Data is declared as a record or an enum.", "record Order { id: str }"),
    "for": ("A loop over a list is an `each`, which has a name.", _FORM_EACH),
    "foreach": ("A loop over a list is an `each`, which has a name.", _FORM_EACH),
    "while": ("A loop has a limit.", _FORM_REPEAT),
    "loop": ("A loop has a limit.", _FORM_REPEAT),
    "try": ("What may fail and be undone is a scope.", _FORM_SCOPE),
    "except": (_FAILURE, _FORM_SCOPE),
    "catch": (_FAILURE, _FORM_SCOPE),
    "rescue": (_FAILURE, _FORM_SCOPE),
    "finally": ("What runs after a rollback has a block of its own.", "on rollback { ... }"),
    "raise": (_FAILS, _FORM_REQUIRES),
    "throw": (_FAILS, _FORM_REQUIRES),
    "assert": ("What must hold is required.", _FORM_REQUIRES),
    "async": ("Nothing is marked as asynchronous.", "parallel { ... }"),
    "await": ("A step is always waited for where its value is used.", _FORM_STEP),
    "pass": ("An empty block stays empty.", "else { }"),
    "var": (_LET, "let NAME = E"),
    "const": (_LET, "let NAME = E"),
    "val": (_LET, "let NAME = E"),
    "switch": (_BRANCH, _FORM_IF),
    "match": (_BRANCH, _FORM_IF),
    "when": (_BRANCH, _FORM_IF),
    "unless": (_BRANCH, "if not E { ... }"),
    "else": ("`else` follows an `if`, a scope or a step directly.", _FORM_IF),
    "elif": ("A further condition is an `if` inside the `else`.", "else { if E { ... } }"),
    "elsif": ("A further condition is an `if` inside the `else`.", "else { if E { ... } }"),
}
# These may also be names: they are told only where no `=` and no field follows.
_STATEMENTS = {
    "for_each": ("A loop over a list is an `each`, which has a name.", _FORM_EACH),
    "compensate": (_UNDONE, _FORM_UNDO),
    "compensation": (_UNDONE, _FORM_UNDO),
    "rollback": (_UNDONE, _FORM_UNDO),
    "revert": (_UNDONE, _FORM_UNDO),
    "on_failure": (_FAILURE, _FORM_SCOPE),
    "on_error": (_FAILURE, _FORM_SCOPE),
    "onFailure": (_FAILURE, _FORM_SCOPE),
    "onError": (_FAILURE, _FORM_SCOPE),
    "depends_on": (_AFTER, f"{_FORM_STEP} after OTHER"),
    "dependsOn": (_AFTER, f"{_FORM_STEP} after OTHER"),
    "needs": (_AFTER, f"{_FORM_STEP} after OTHER"),
    "task": ("A call is a step.", _FORM_STEP),
    "activity": ("A call is a step.", _FORM_STEP),
    "action": ("A call is a step.", _FORM_STEP),
    "invoke": ("A call is a step.", _FORM_STEP),
    "run": ("A call is a step.", _FORM_STEP),
    "branch": ("What may run at the same time stands in `parallel`.", "parallel { ... }"),
    "concurrent": ("What may run at the same time stands in `parallel`.", "parallel { ... }"),
    "approve": ("People are asked by a gate.", 'gate NAME needs "group" shows VALUE'),
    "approval": ("People are asked by a gate.", 'gate NAME needs "group" shows VALUE'),
    "transaction": ("What is undone as one is a scope.", _FORM_SCOPE),
    "atomic": ("What is undone as one is a scope.", _FORM_SCOPE),
}
_DECLARATIONS = {
    "from": (_IMPORT, _FORM_IMPORT),
    "include": (_IMPORT, _FORM_IMPORT),
    "require": (_IMPORT, _FORM_IMPORT),
    "use": (_IMPORT, _FORM_IMPORT),
    "using": (_IMPORT, _FORM_IMPORT),
    "resource": (_TOOL, _FORM_TOOL),
    "task": (_TOOL, _FORM_TOOL),
    "activity": (_TOOL, _FORM_TOOL),
    "action": (_TOOL, _FORM_TOOL),
    "variable": ("What a saga is given stands in its brackets.", _FORM_SAGA),
    "workflow": (_SAGA, _FORM_SAGA),
    "pipeline": (_SAGA, _FORM_SAGA),
    "flow": (_SAGA, _FORM_SAGA),
    "process": (_SAGA, _FORM_SAGA),
    "job": (_SAGA, _FORM_SAGA),
    "schema": (_RECORD, _FORM_RECORD),
    "message": (_RECORD, _FORM_RECORD),
}
_MARKS = frozenset(("export", "public", "pub", "private", "default", "async", "abstract"))
_BEGINNINGS = frozenset({"STEP", "TOOL", "EFFECT", "GIVEN"})


def mark_of_declaration(place: Place) -> Diagnostic | None:
    """`export saga f()`, `async saga f()`."""
    word, following = place.found, place.near(1)
    if word.text not in _MARKS or not {"TOOL", "SAGA"} <= place.fitting:
        return None
    if not place.goes_on(""):
        return None
    asynchronous = word.text == "async"
    return problem(
        "S101",
        "Nothing is marked as asynchronous: what may run at the same time stands in `parallel`."
        if asynchronous
        else "Nothing is marked: every declaration of a file can be imported by its name.",
        place.span(word),
        "take this away",
        fix=replacement("safe", Span(place.source.name, word.start, following.start), ""),
    )


def keys_and_lists(place: Place) -> Diagnostic | None:
    """`steps:` with a list under it, where a declaration or a statement begins."""
    word, following = place.found, place.near(1)
    if place.fitting.isdisjoint({"TOOL", "STEP"}) or word.kind != "word":
        return None
    if following.text != ":" or word.end != following.start:
        return None
    at_top = "TOOL" in place.fitting
    return problem(
        "S101",
        "A program is made of declarations, not of keys and lists."
        if at_top
        else "A saga is made of statements, not of keys and lists.",
        place.span(word, following),
        "a key",
        helps=[
            "Write `saga NAME(order_id: str) { step pay = charge(order_id) }`."
            if at_top
            else f"Write `{_FORM_STEP}`, `let NAME = E` or `parallel {{ ... }}`."
        ],
    )


def foreign_word(place: Place) -> Diagnostic | None:
    """`def`, `while`, `try` and their like where a statement, clause or declaration begins."""
    word, following = place.found, place.near(1).text
    if place.fitting.isdisjoint(_BEGINNINGS):
        return None
    known = _WORDS.get(word.text)
    if known is None and following not in ("=", "."):
        table = (
            _STATEMENTS
            if "STEP" in place.fitting
            else _DECLARATIONS
            if "TOOL" in place.fitting
            else {}
        )
        known = table.get(word.text)
    if known is None:
        return None
    message, right = known
    return problem(
        "S101",
        message,
        place.span(word),
        "nothing before this takes it" if right.startswith("if E") else "no word of the language",
        helps=[f"Write `{_told(place, right)}`."],
        fix=_import(place),
    )


def unnamed_loop(place: Place) -> Diagnostic | None:
    """`each order in orders`."""
    variable = place.near(-1)
    if place.found.text != "in" or place.near(-2).text not in ("each", "first"):
        return None
    if set(place.fitting) != {"EQUAL"}:
        return None
    word = place.near(-2).text
    return problem(
        "S101",
        f"`{word}` has a name, by which its items are logged and its value is read.",
        place.span(variable),
        f"write `{word} NAME = {variable.text} in ...`",
        helps=["Its value is the list of what the block returns."]
        if word == "each"
        else ["Its value is what the block of the first item that succeeds returns."],
    )


def _told(place: Place, right: str) -> str:
    """The form with the words of `for x in xs`, where that is what was written."""
    variable, in_, items = place.near(1), place.near(2), place.near(3)
    if right is not _FORM_EACH or in_.text != "in" or place.near(4).text not in ("{", ":"):
        return right
    return f"each NAME = {variable.text} in {items.text} {{ ... }}"


def _import(place: Place) -> Fix | None:
    """`from payments import charge`."""
    module, word, name = place.near(1), place.near(2), place.near(3)
    if place.found.text != "from" or word.text != "import" or not place.same_line(name):
        return None
    names, last = [name.text], name
    i = 4
    while place.near(i).text == "," and place.near(i + 1).kind == "word":
        last = place.near(i + 1)
        names.append(last.text)
        i += 2
    right = f'import {{ {", ".join(names)} }} from "{module.text}.saga"'
    return replacement("ask", place.span(place.found, last), right)


FOREIGN_WORDS = (mark_of_declaration, foreign_word, keys_and_lists, unnamed_loop)
