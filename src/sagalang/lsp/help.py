"""What the words of the language do, in a sentence or two: for hovers and completions."""

from __future__ import annotations

from collections.abc import Mapping

CLAUSES: Mapping[str, str] = {
    # Declarations
    "Edition": "`edition 2026`: the version of the language that the file is written in.",
    "Import": '`import { a, b as c } from "file.saga"`: declarations of another file, by name.',
    "Record": "`record Name { field: type = default }`: a value with named fields.",
    "RecordField": "A field: `name: type`, and `= default` where it may be left out.",
    "Enum": "`enum Name { a, b }`: one of some names; a value is written `Name.a`.",
    "Tool": "`tool name(parameters) -> type { }`: one call to the outside world: what it changes, "
    "how that is verified, how it is undone.",
    "Agent": "`agent name(parameters) -> type { }`: decides by itself which tools to call, "
    "only among those it lists.",
    "Saga": "`saga name(parameters) -> type { }`: a workflow that can be rolled back.",
    "Scenario": '`scenario "..." for saga { }`: a test; `saga test` runs it on the real kernel.',
    # Clauses of tools and agents
    "Binding": '`call python "module:function" (args)`: the function that does it. Without '
    "arguments it gets the tool's parameters by name.",
    "NoEffect": "`effect none`: a read. It is tried again by itself and may verify others.",
    "Effect": "`effect kind(id) class impact N`: what is changed outside, how hard it is to take "
    "back, and how much that matters (1 to 10).\n\n`reversible`: the undo restores the exact "
    "earlier state · `compensatable`: makes good, but leaves a trace · `irreversible`: nothing "
    "undoes it · `restoring`: takes back what another tool did.",
    "Corrective": "`corrective`: what must happen when the run is rolled back all the same.",
    "IdempotentByKey": "`idempotent by key for D`: the service answers a repeated key with the "
    "first result, for at least D.",
    "IdempotentNaturally": "`idempotent naturally`: repeating it is harmless, whatever the key.",
    "FailsWith": "`fails with E`: the service *refused*; it did not happen.",
    "TransientWith": "`transient with E`: this attempt did not land; it is tried again.",
    "DoneWith": "`done with E`: it is already so, which is success.",
    "Retry": "`retry N times every A..B`: N attempts in all, the pause between them doubling from "
    "A to B. `retry forever`; `retry never` is the default with effects.",
    "Backoff": "`every A..B`: the shortest and the longest pause between attempts.",
    "Timeout": "`timeout D settle S`: after D the outcome is *unknown*, never *failed*; until S "
    "after that the effect may still land.",
    "Requires": '`requires E else "..."`: checked before the call; false is a refusal. In a saga '
    "it fails the scope.",
    "Ensures": '`ensures E else "..."`: checked on the result. Broken, the effect *has* happened.',
    "Remember": "`remember name = read(args)`: reads the earlier state before the action and keeps "
    "it for the undo.",
    "Verify": "`verify read(args) { verdicts }`: finds out whether a call happened. `none` and "
    "`false` are *absent*; without a block anything else is *applied*.",
    "VerifyAlways": "`verify always`: verified after every answer, not only after unknown ends.",
    "Applied": "`applied when E gives V`: it has happened; V (or the answer) becomes the result.",
    "Absent": "`absent when E`: it has not happened.",
    "Conflict": "`conflict when E`: someone else has changed it; people are asked.",
    "Evidence": "`evidence read(args) weight W { verdicts }`: one of several hints where a service "
    "has no verify of its own.",
    "AcceptEvidence": "`accept evidence >= P below impact N`: how sure is sure enough.",
    "Undo": "`undo tool(args) when E within D`: takes the action back. Of several, the first whose "
    "arguments can be computed and whose condition holds.",
    "Commutes": "`commutes with tool`: the order of the two on one resource does not matter.",
    "Reads": "`reads kind(id)`: depends on that resource staying as it is.",
    "OnUnknownEscalate": "`on unknown escalate`: nothing settles an unknown outcome; people do.",
    "BetweenRuns": "`between runs allow|wait|escalate`: what to do when another unfinished run has "
    "an effect on the same resource.",
    "Service": '`service "..."`: for logs, limits and escalations.',
    "Runbook": '`runbook "..."`: what people read when they are asked.',
    "MayUse": '`may use a, b needs "group" at most N calls`: the tools that an agent may call.',
    "AgentTool": "A tool that the agent may call; with `needs`, each call waits for its own gate.",
    # Statements
    "Step": "`step name = call(args)`: calls a tool, an agent or another saga.",
    "When": "`when E`: else it is skipped, and its value may be `none`.",
    "After": "`after a, b`: these statements of the same block have settled before.",
    "ActsAs": '`as "agent"`: who acts.',
    "OnFailure": "`else continue|escalate|rollback`: what its failure means. `rollback` is the "
    "default: the scope fails.",
    "Until": "`until E every D within D`: polls until the answer `it` satisfies E.",
    "Expecting": "`expecting read(args) unchanged since step`: read again just before the call; "
    "where it differs, people are asked.",
    "AcceptIrreversible": '`accept irreversible because "..."`: somebody has decided that this may '
    "stay behind.",
    "Overrides": "`{ timeout retry verify undo }`: these replace the tool's for this step.",
    "Let": "`let name = E`: names a value.",
    "If": "`if E { } else { }`: one branch, decided once and logged.",
    "Parallel": "`parallel { }`: its statements run as early as their data and `after` allow.",
    "Each": "`each name = x in list by key at most N at once tolerate N { }`: its body for each "
    "item; the value is the list of what the body returns.",
    "ItemKey": "`by E`: what identifies an item, unique and stable; default is its index.",
    "AtOnce": "`at most N at once`: how many items run at one time; the default is one.",
    "UndoAtOnce": "`undo N at once`: how many items are undone at one time.",
    "Tolerate": "`tolerate N`: so many items may fail; each is rolled back alone and gives `none`.",
    "First": "`first name = x in list { }`: the first item whose block succeeds; a failed one is "
    "rolled back before the next is tried.",
    "Repeat": "`repeat name = x from E at most N times { ... next E }`: again with what `next` "
    "gives, until that is `none`.",
    "Next": "`next E`: what the `repeat` goes on with; `none` ends it.",
    "Scope": "`scope name { } else { }`: rolled back alone when something in it fails; then its "
    "`else` runs. Without one the failure goes outwards.",
    "Gate": '`gate name needs N of "group" shows E`: people decide on exactly what it shows.',
    "IncludingInitiator": "`including initiator`: whoever started the run may decide, too.",
    "Lapse": "`within D else rollback|continue|escalate`: what it means that nobody came in time.",
    "Wait": "`wait name: type within D`: waits for a signal from outside.",
    "Sleep": "`sleep D`: waits.",
    "Checkpoint": "`checkpoint name`: a state that a run can be rolled back to.",
    "Deadline": "`deadline D`: once lapsed, the saga fails at its next call.",
    "Guard": '`guard readiness >= E needs "group"`: before each call; below it a gate opens.',
    "OnRollback": "`on rollback { }`: steps that run after the undos, each `else continue`.",
    "Promise": "`promise reversible | readiness >= E | gated impact >= N until x`: proved for "
    "every state before the first effect of x.",
    "Return": "`return E`: the value; it stands once, last.",
    # Scenarios
    "Given": "`given name = E`: an input of the saga.",
    "Mock": "`mock path = E`: the result of a step.",
    "MockCall": "`mock path calls tool(arguments)`: the next call that an agent makes: `path[1]`, "
    "`path[2]`. When it is refused the agent ends there; `else continue`: it makes its next one.",
    "Fail": '`fail path with "Error" N times`: the service refuses.',
    "Crash": "`crash path before|after call|undo`: the process dies there, and is resumed.",
    "TimesOut": "`timeout path landing after D`: no answer; the effect lands later, or never.",
    "Lose": "`lose path`: the answer is lost.",
    "Drift": "`drift path`: someone else changes it.",
    "RefuseUndo": "`refuse undo path`: the undo is refused for good.",
    "Approve": '`approve gate by "who"`: somebody approves.',
    "Reject": "`reject gate`: somebody rejects.",
    "Signal": "`signal wait = E`: the signal comes.",
    "CancelAt": "`cancel at path`: the run is cancelled there.",
    "LogDownAt": "`log down at path`: the log cannot be written there.",
    "ExpectStatus": "`expect succeeded | rolled back | ...`: how the run ends.",
    "ExpectDone": "`expect done path, path`: these steps have succeeded.",
    "ExpectUndone": "`expect undone path, path`: these are undone, in this order.",
    "ExpectNotCalled": "`expect not called path`: it was never called.",
    "ExpectCorrective": "`expect corrective path`: the corrective of that step is on record.",
    "ExpectReadiness": "`expect readiness >= E`: it never falls below.",
    "ExpectResult": "`expect result E`: what the saga gives.",
    # Expressions
    "Conditional": "`if a then b else c`: one of two values.",
    "Comprehension": "`[value for x in list if condition]`: a list made of another.",
}
"""Help by the name of the node's class."""

VALUES: Mapping[str, str] = {
    "key": "`key`: the idempotency key. In `call` that of this very call; in `undo`, `verify` and "
    "`corrective` that of the action.",
    "result": "`result`: what the action has given.",
    "it": "`it`: the answer that is looked at, which is not `none` here.",
    "args": "`args.NAME`: the arguments of the step's own call.",
}
"""Help for what clauses know beside ordinary names."""

WORDS: Mapping[str, str] = {
    "reversible": "The undo restores the exact earlier state.",
    "compensatable": "The undo makes good, but leaves a trace.",
    "irreversible": "Nothing undoes it.",
    "restoring": "Takes back what another tool did; called as `undo` or `corrective` only.",
    "continue": "Goes on without it; its value may be `none`.",
    "escalate": "People are asked.",
    "rollback": "The scope fails and is rolled back.",
}
"""Short help for single words among the completions."""
