/* The saga language in JupyterLab 4 and Notebook 7: a module-federation container written by hand,
 * so that no bundler and no node is needed to build the wheel. */
(function () {
  "use strict";

  // The next line is made from the grammar: python -m sagalang.editors
  const GRAMMAR = {"words": {"contextual": ["absent", "accept", "after", "agent", "allow", "always", "applied", "approve", "as", "at", "back", "because", "before", "below", "between", "by", "call", "called", "calls", "cancel", "cancelled", "checkpoint", "commutes", "compensatable", "conflict", "consistent", "continue", "corrective", "crash", "deadline", "done", "down", "drift", "each", "edition", "effect", "ensures", "enum", "escalate", "escalated", "every", "evidence", "expect", "expecting", "fail", "fails", "first", "forever", "from", "gate", "gated", "given", "gives", "guard", "idempotent", "impact", "import", "including", "initiator", "irreversible", "landing", "let", "log", "lose", "may", "mock", "most", "naturally", "needs", "never", "next", "of", "on", "once", "parallel", "partly", "paused", "promise", "python", "readiness", "reads", "record", "refuse", "reject", "remember", "repeat", "requires", "restoring", "retry", "return", "reversible", "rollback", "rolled", "runbook", "runs", "saga", "scenario", "scope", "service", "settle", "shows", "signal", "since", "sleep", "step", "succeeded", "timeout", "times", "tolerate", "tool", "transient", "unchanged", "undo", "undone", "unknown", "until", "use", "verify", "wait", "waiting", "weight", "when", "with", "within"], "operators": ["and", "else", "for", "if", "in", "not", "or", "then"], "constants": ["false", "none", "true"], "classes": ["compensatable", "irreversible", "restoring", "reversible"], "naming": ["agent", "as", "checkpoint", "each", "effect", "enum", "first", "gate", "given", "let", "reads", "record", "remember", "repeat", "saga", "scope", "step", "tool", "wait", "with"], "types": ["bool", "bytes", "date", "datetime", "decimal", "duration", "float", "int", "json", "list", "map", "secret", "str"], "functions": ["abs", "all", "any", "chunks", "decimal", "default", "float", "int", "join", "keys", "len", "lower", "max", "min", "range", "round", "sorted", "split", "started_at", "str", "sum", "trim", "unique", "upper", "values"], "values": ["args", "it", "key", "result"]}, "expressions": {"NAME": "[A-Za-z_][A-Za-z0-9_]*", "NUMBER": "\\b[0-9](?:_?[0-9])*(?:\\.[0-9](?:_?[0-9])*)?(?:ms|s|m|h|d)?\\b", "ESCAPE": "\\\\(?:u\\{[0-9A-Fa-f]+\\}|.)", "OPERATOR": "->|\\.\\.|[=!<>]=|//|[-+*/%<>=?]", "PUNCTUATION": "[{}()\\[\\]:,.]", "WORD": "(?![\\[(]|\\s*(?:[:.,)\\]?=]|!=))"}};

  const mapped = (record, make) => Object.fromEntries(Object.entries(record).map(([name, of]) => [name, make(of)]));
  const SETS = mapped(GRAMMAR.words, list => new Set(list));
  const AT = mapped(GRAMMAR.expressions, expression => new RegExp("^(?:" + expression + ")"));

  // A word that is not reserved may name anything: behind a dot, behind a word that names things,
  // and in front of what only follows names.
  function word(stream, state) {
    const text = stream.current();
    const rest = stream.string.slice(stream.pos);
    const dotted = stream.string[stream.start - 1] === ".";
    const naming = state.naming;
    state.naming = false;
    if (dotted) return "propertyName";
    if (!/^\s*:/.test(rest)) {
      if (SETS.constants.has(text)) return "atom";
      if (SETS.operators.has(text)) return "keyword";
    }
    if (naming && !/^\s*\./.test(rest)) return "variableName.definition";
    const called = /^\s*\(/.test(rest);
    if (SETS.types.has(text) && !called && !/^\s*[:.]/.test(rest)) return "typeName";
    if (SETS.functions.has(text) && called) return "variableName.standard";
    if (SETS.contextual.has(text) && AT.WORD.test(rest)) {
      state.naming = SETS.naming.has(text) && /^[ \t]+[A-Za-z_]/.test(rest);
      return SETS.classes.has(text) ? "modifier" : "keyword";
    }
    if (SETS.values.has(text)) return "variableName.special";
    if (called) return "variableName.function";
    return /^[A-Z]/.test(text) ? "typeName" : "variableName";
  }

  function code(stream, state) {
    if (stream.match(AT.NUMBER)) return "number";
    if (stream.match(AT.NAME)) return word(stream, state);
    if (stream.match(AT.OPERATOR)) return "operator";
    if (stream.match(AT.PUNCTUATION)) return "punctuation";
    stream.next();
    return "invalid";
  }

  // In a text: until its end or its line's; `{` begins an expression, `{{` is a brace.
  function inText(stream, state) {
    if (state.inside) {
      if (stream.peek() === '"') { state.inside = false; return inText(stream, state); }
      if (stream.match("}")) { state.inside = false; return "special"; }
      if (stream.eatSpace()) return null;
      return code(stream, state);
    }
    if (stream.match('"')) { state.text = false; return "string"; }
    if (stream.match("{{") || stream.match("}}") || stream.match(AT.ESCAPE)) return "escape";
    if (stream.match("{")) { state.inside = true; return "special"; }
    if (!stream.match(/^[^"\\{}]+/)) stream.next();
    return "string";
  }

  const mode = {
    name: "saga",
    startState: () => ({ doc: false, text: false, inside: false, naming: false }),
    token(stream, state) {
      if (stream.sol()) {
        state.text = state.inside = state.naming = false;
        if (stream.match(/^%%saga\b.*/)) return "meta";
      }
      if (state.doc) {
        if (stream.match(/^.*?"""/)) state.doc = false; else stream.skipToEnd();
        return "docString";
      }
      if (state.text) return inText(stream, state);
      if (stream.eatSpace()) return null;
      if (stream.match(/^#.*/)) return "comment";
      if (stream.match('"""')) {
        if (!stream.match(/^.*?"""/)) { state.doc = true; stream.skipToEnd(); }
        return "docString";
      }
      if (stream.match('"')) { state.text = true; return "string"; }
      return code(stream, state);
    },
    languageData: {
      commentTokens: { line: "#" },
      closeBrackets: { brackets: ["(", "[", "{", '"', '"""'] },
      indentOnInput: /^\s*[})\]]$/,
    },
  };

  let scope = null;

  // The newest version of a module that JupyterLab shares.
  async function shared(name) {
    const versions = scope[name];
    if (!versions) throw new Error("sagalang: JupyterLab shares no module " + name);
    const order = Object.keys(versions).sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
    return (await versions[order.pop()].get())();
  }

  async function load() {
    const [codemirror, language, state] = await Promise.all(
      ["@jupyterlab/codemirror", "@codemirror/language", "@codemirror/state"].map(shared));
    const saga = new language.LanguageSupport(language.StreamLanguage.define(mode));

    // A cell is in Python for the notebook; from the magic on its first line it is not.
    const isSaga = text => /^\s*%%saga(?![\w])/.test(text);
    const cells = options => {
      const place = new state.Compartment();
      let on = isSaga(options.model.sharedModel.getSource().slice(0, 200));
      return codemirror.EditorExtensionRegistry.createImmutableExtension([
        state.Prec.highest(place.of(on ? saga : [])),
        state.EditorState.transactionExtender.of(transaction => {
          const wanted = isSaga(transaction.newDoc.sliceString(0, 200));
          if (wanted === on) return null;
          on = wanted;
          return { effects: place.reconfigure(wanted ? saga : []) };
        }),
      ]);
    };

    const plugin = {
      id: "sagalang:language",
      autoStart: true,
      requires: [codemirror.IEditorExtensionRegistry, codemirror.IEditorLanguageRegistry],
      activate: (app, extensions, languages) => {
        languages.addLanguage({
          name: "saga", displayName: "Saga", mime: "text/x-saga", extensions: ["saga"], load: async () => saga,
        });
        app.docRegistry.addFileType({
          name: "saga", displayName: "Saga", extensions: [".saga"], mimeTypes: ["text/x-saga"],
          contentType: "file", fileFormat: "text",
        });
        extensions.addExtension({ name: "sagalang:cells", factory: cells });
      },
    };
    return () => ({ default: plugin, __esModule: true });
  }

  const container = { init: modules => { scope = modules; }, get: () => load() };
  (window._JUPYTERLAB = window._JUPYTERLAB || {})["sagalang"] = container;
})();
