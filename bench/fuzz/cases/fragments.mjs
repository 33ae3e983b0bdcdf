import { join } from "node:path";
import { pathToFileURL } from "node:url";

const calls = [
  { name: "f", arguments: JSON.stringify({ a: 1, b: "x\ny", c: [1, { d: null }] }) },
  {
    name: "write_file",
    arguments: JSON.stringify({ path: "a.txt", content: 'He said "no" <b>\\n', options: { tags: ["t"] } }),
  },
];
const callStrict = { name: "forecast", arguments: JSON.stringify({ city: "Lisbon", days: 3 }) };

/** A tag, a token in special brackets, a name, a text, a mark, a line break. */
const token = /<[^<>\s]{0,60}>?|<\|?[^<>]{0,40}|\[[A-Z_/]{2,30}\]|"(?:[^"\\\n]|\\.){0,40}"|\w+|\s+|[^\w\s]/gu;

/** The dialects of a build: what each writes, and the small pieces of that. */
export async function loadDialects(build) {
  const load = (file) => import(pathToFileURL(join(build, "dist", "dialects", file)).href);
  const { dialects } = await load("index.js");
  const { forms = dialects } = await load("known/index.js").catch(() => ({}));
  return { names: dialects.map(({ name }) => name), forms: forms.map(readForm) };
}

/** What a form of a dialect writes, its marks, and the tokens of what it writes. */
export function readForm(form) {
  const written = [form.write([calls[0]]), form.write(calls), form.write([callStrict])].filter((text) => text !== "");
  const marks = [...form.openers, ...form.closers, ...(form.hidden ?? [])];
  const thoughts = (form.reasoning ?? []).flatMap(({ open, close }) => [open, ...close]);
  return {
    name: form.name,
    written,
    openers: [...form.openers],
    closers: [...form.closers],
    thoughts,
    marks: [...new Set([...marks, ...thoughts])].filter((mark) => mark !== ""),
    tokens: written.map((text) => text.match(token) ?? [text]),
  };
}
