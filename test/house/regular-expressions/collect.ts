import { parseAst } from "vitest/node";
import type { SourceFile } from "../provider-names.ts";

/** A regular expression that is written out in the code. */
export interface Literal {
  path: string;
  /** As it is written: `/…/flags`. */
  written: string;
  source: string;
  flags: string;
}

/** Code that makes a regular expression of a text. */
export interface Built {
  path: string;
  /** The call as it is written, on one line. */
  written: string;
}

/** Methods that make a regular expression of a text that they are given. */
const makers = new Set(["match", "matchAll", "search"]);

export function expressionsIn({ path, text }: SourceFile): { literals: Literal[]; built: Built[] } {
  const literals: Literal[] = [];
  const built: Built[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const entry of value) visit(entry);
    if (!isNode(value)) return;
    if (value.type === "Literal" && isRegex(value.regex)) {
      const { pattern, flags } = value.regex;
      literals.push({ path, written: `/${pattern}/${flags}`, source: pattern, flags });
    }
    if (makesExpression(value)) built.push({ path, written: text.slice(value.start, value.end).replace(/\s+/g, " ") });
    for (const key of Object.keys(value)) visit(value[key]);
  };
  visit(parseAst(text, { lang: "ts" }));
  return { literals, built };
}

interface Node extends Record<string, unknown> {
  type: string;
  start: number;
  end: number;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function isRegex(value: unknown): value is { pattern: string; flags: string } {
  return typeof value === "object" && value !== null && "pattern" in value && "flags" in value;
}

function makesExpression({ type, callee, arguments: given }: Node): boolean {
  if (type !== "NewExpression" && type !== "CallExpression") return false;
  if (!isNode(callee)) return false;
  if (callee.type === "Identifier") return callee.name === "RegExp";
  const { property } = callee;
  const [first] = Array.isArray(given) ? given : [];
  const isText = isNode(first) && (first.type === "TemplateLiteral" || typeof first.value === "string");
  return isNode(property) && typeof property.name === "string" && makers.has(property.name) && isText;
}
