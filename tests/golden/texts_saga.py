# Made by sagalang 0.1.0 from texts.saga. What is changed here is lost when it is compiled again.
#
# texts: definition a77823749ec458f958e0cee48714cc2a401e441371376e6b6911be11b9d604a8
#
# Run it:  python texts_saga.py --input '{"name": ...}'
# Use it:  from texts_saga import texts
"""%s {0} $HOME <script>alert(1)</script> ]]> -->"""

from __future__ import annotations

from dataclasses import dataclass

from sagalang.runtime.module import (
    Binding,
    Compare,
    Effect,
    Gate,
    Idempotence,
    Literal,
    Name,
    Parameter,
    Record,
    Requires,
    Retry,
    Return,
    Source,
    T,
    Text,
    Tool,
    Undo,
    arg,
    main,
    saga,
    step,
)


@dataclass(frozen=True, kw_only=True)
class Note:
    "A \"record\" with '''quotes''', a \\ at the end of a line, {{ 7*7 }}, {% include \"x\" %}, {# comment #} \\"

    text: str = "\"\"\" ''' \\ \x00 \r\n \u2028 \u202e \\N{BULLET}"


# Where the lines of the sources begin.

texts_saga = Source(
    "texts.saga", "5:123 6:216 7:248 8:276 9:307 10:330 13:412 15:583 16:615 17:688 18:736 19:844"
)
f, at = texts_saga.formula, texts_saga.place

# The types, as the plans have them.

Note_type = Record(
    name="Note",
    doc=(
        "A \"record\" with '''quotes''', a \\ at the end of a line, {{ 7*7 }}, {% include \"x\" "
        "%}, {# comment #} \\"
    ),
    fields=(
        Parameter(
            name="text",
            type=T("str"),
            default=f(
                '"\\"\\"\\" \'\'\' \\\\ \\u{0} \\u{d}\\u{a} \\u{2028} \\u{202e} \\\\N{{BULLET}}"',
                "5:27",
                "str",
                Literal("\"\"\" ''' \\ \x00 \r\n \u2028 \u202e \\N{BULLET}"),
            ),
            at=at("5:15+76"),
        ),
    ),
    at=at("5:8+4"),
)

# The tools: what each changes, how to verify it, how to undo it.

erase = Tool(
    name="erase",
    parameters=(Parameter(name="text", type=T("str"), at=at("13:12+9")),),
    result=T("json"),
    call=Binding(
        target="world:erase",
        args=(arg("text", f("text", "13:12", "str")),),
        at=at("13:33+25"),
    ),
    effects=(Effect(kind="note", effect_class="restoring", at=at("13:59+21")),),
    idempotent=Idempotence(by="naturally", at=at("13:81+20")),
    retry=Retry(attempts=5, at=at("13:102+13")),
    at=at("13:6+5"),
)

write = Tool(
    name="write",
    parameters=(Parameter(name="text", type=T("str"), at=at("6:12+9")),),
    result=T("Note"),
    call=Binding(
        target="world:write",
        args=(arg("text", f("text", "6:12", "str")),),
        at=at("7:3+25"),
    ),
    effects=(
        Effect(
            kind="note",
            ids=(f("text", "8:15", "str"),),
            effect_class="reversible",
            at=at("8:3+28"),
        ),
    ),
    idempotent=Idempotence(by="naturally", at=at("9:3+20")),
    undos=(Undo(tool="erase", args=(arg("text", f("text", "10:14", "str")),), at=at("10:3+16")),),
    service='"); import os; os.system("touch CANARY"); ("',
    at=at("6:6+5"),
)

# The sagas.

texts = saga(
    name="texts",
    doc="%s {0} $HOME <script>alert(1)</script> ]]> -->",
    format=1,
    edition=2026,
    parameters=(Parameter(name="name", type=T("str"), at=at("15:12+9")),),
    result=T("Note"),
    body=(
        Requires(
            path="requires#1",
            test=f(
                'name != "</text><script>"',
                "16:12",
                "bool",
                Compare("!=", Name("name"), Literal("</text><script>")),
            ),
            otherwise=f(
                '"{{% raw %}} #}} {name} \\u{7}"',
                "16:43",
                "str",
                Text((Literal("{% raw %} #} "), Name("name"), Literal(" \x07"))),
            ),
            at=at("16:3+8"),
        ),
        Gate(
            path="agree",
            name="agree",
            needs=1,
            group='"<b>&amp;ops\n',
            shows=(arg("name", f("name", "17:44", "str")),),
            at=at("17:8+5"),
        ),
        step(
            write,
            path="a",
            name="a",
            args=(
                arg(
                    "text",
                    f(
                        (
                            '"{{{{ 7*7 }}}} \\u{d} \\u{2028}{name}%s {{0}} $HOME # not a '
                            'comment\\n\\"\\"\\""'
                        ),
                        "18:18",
                        "str",
                        Text(
                            (
                                Literal("{{ 7*7 }} \r \u2028"),
                                Name("name"),
                                Literal('%s {0} $HOME # not a comment\n"""'),
                            ),
                        ),
                    ),
                ),
            ),
            type=T("Note"),
            agent="*/ %> -->",
            at=at("18:8+1"),
        ),
        Return(path="return#1", value=f("a", "19:10", "Note"), at=at("19:3+6")),
    ),
    tools=(erase, write),
    records=(Note_type,),
    at=at("15:6+5"),
    classes={"Note": Note},
    file=__file__,
)

if __name__ == "__main__":
    raise SystemExit(main(texts))
