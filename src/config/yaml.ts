import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  type Range,
  visit,
  type YAMLError,
} from "yaml";
import { ConfigError, type Mistake } from "./mistake.ts";

/** Every line of a broken file may add a mistake; only the first ones are useful. */
const mostMistakes = 10;

/** The parser walks the whole document for each alias. */
const mostAliases = 200;

/** Used instead of the parser's messages, which quote the file and so may reveal secrets. */
const sentences: Partial<Record<YAMLError["code"], string>> = {
  ALIAS_PROPS: "an alias (*name) cannot have an anchor or a tag",
  BAD_ALIAS: "an alias (*name) that YAML cannot read; a text that starts with * needs quotes",
  BAD_DIRECTIVE: "a directive (%…) that YAML does not know",
  BAD_DQ_ESCAPE: "an escape that YAML does not know; a text with a \\ is safe between single quotes",
  BAD_INDENT: "the indentation does not fit the lines above",
  BAD_SCALAR_START: "a text that starts with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY: "a key and a value too many on this line; a text with a colon needs quotes",
  BLOCK_IN_FLOW: "a block cannot stand between { } or [ ]",
  MISSING_CHAR: "a character is missing: a closing quote or bracket, a comma, or a colon with a space after it",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line and have a colon",
  MULTIPLE_DOCS: "a second document (---) begins; one is read",
  TAB_AS_INDENT: "a tab indents this line; YAML wants spaces",
  TAG_RESOLVE_FAILED: "a tag (!…) that YAML cannot read; a text that starts with ! needs quotes",
};

/** Parses YAML to plain values. Throws a ConfigError with the position of each mistake. */
export function parseYaml(text: string): unknown {
  const lines = new LineCounter();
  // The parser finds duplicate keys in quadratic time; `findMistakes` does so in linear time.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
    uniqueKeys: false,
  });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `line ${line}, column ${col}`;
  };

  const errors = [...document.errors, ...document.warnings];
  if (errors.some(({ code }) => code === "RESOURCE_EXHAUSTION")) throw tooDeep();
  if (errors.length > 0) {
    throw new ConfigError(
      errors.slice(0, mostMistakes).map(({ code, pos }) => {
        const hint = lineAt(text, pos[0]).includes("${") ? `; between { } or [ ], \${NAME} needs quotes` : "";
        return notYaml(`${place(pos[0])}: ${sentences[code] ?? "YAML does not allow what stands here"}${hint}`);
      }),
    );
  }

  const mistakes = findMistakes(document, place);
  if (mistakes.length > 0) throw new ConfigError(mistakes.slice(0, mostMistakes));
  if (document.contents !== null && !isMap(document.contents) && !isEmpty(document.contents)) {
    throw new ConfigError([{ path: "", message: "expected a mapping of keys to values at the top of the file" }]);
  }
  try {
    return document.toJS();
  } catch {
    // A few lines of aliases can expand to millions of values.
    throw tooManyAliases();
  }
}

/** Mistakes that the parser accepts: duplicate keys and aliases without an anchor. */
function findMistakes(document: Document, place: (offset: number) => string): Mistake[] {
  const mistakes: Mistake[] = [];
  const note = (node: { range?: Range | null }, message: string) =>
    mistakes.push(notYaml(`${place(node.range?.[0] ?? 0)}: ${message}`));
  const anchors = new Set<string>();
  let aliases = 0;
  visit(document, (_, node) => {
    if (isAlias(node) && ++aliases > mostAliases) throw tooManyAliases();
    if (isAlias(node) && !anchors.has(node.source)) note(node, "there is no anchor of this alias's name before it");
    if (isNode(node) && !isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
    if (!isMap(node)) return;
    const seen = new Set<unknown>();
    for (const { key } of node.items) {
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) note(key, "this key is there twice");
      seen.add(key.value);
    }
  });
  return mistakes;
}

function lineAt(text: string, offset: number): string {
  const end = text.indexOf("\n", offset);
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, end === -1 ? undefined : end);
}

function isEmpty(node: unknown): boolean {
  return isScalar(node) && node.value === null;
}

export function tooDeep(): ConfigError {
  return new ConfigError([{ path: "", message: "values are nested too deeply to be a configuration" }]);
}

function tooManyAliases(): ConfigError {
  return new ConfigError([{ path: "", message: "aliases (*name) repeat too much to be a configuration" }]);
}

function notYaml(message: string): Mistake {
  return { path: "", message: `not valid YAML at ${message}` };
}
