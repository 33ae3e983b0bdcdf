/** Half a character, as it stands in JSON, or a backslash that only looks like the beginning of one. */
const halves = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;

/** JSON in which every character is whole: Codex does not read any other, and does not say so. */
export function wellFormed(json: string): string {
  if (!json.includes("\\ud")) return json;
  return json.replace(halves, (found) => (found === "\\\\" ? found : "\\ufffd"));
}
