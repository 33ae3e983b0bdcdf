/** A lone surrogate as JSON escapes it, or an escaped backslash, which only looks like the start of one. */
const halves = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;

/** JSON without lone surrogates: Codex silently ignores a message that has one. */
export function wellFormed(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(halves, (found) => (found === "\\\\" ? found : "\\ufffd"));
}
