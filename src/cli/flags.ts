import { parseArgs } from "node:util";
import { didYouMean } from "../config/index.ts";

export interface Flags {
  /** A positional one is what stands behind the command without a name. */
  readonly [name: string]: { readonly type: "string" | "positional" };
}

/** The parser takes whatever it is given; this is the first thing that a person should know about, or null. */
export function findFlagMistake(written: readonly string[], flags: Flags): string | null {
  const named = Object.keys(flags).filter((name) => flags[name]?.type === "string");
  let places = Object.keys(flags).length - named.length;
  const { tokens } = parseArgs({
    args: [...written],
    options: Object.fromEntries(named.map((name) => [name, { type: "string" as const }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "positional" && --places < 0)
      return `${token.value} is not understood here; a command comes first, then its flags`;
    if (token.kind !== "option") continue;
    if (!named.includes(token.name)) {
      const known = named.map((name) => `--${name}`);
      const hint = didYouMean(token.rawName, known) || `; there are ${known.join(", ")}`;
      return `there is no flag ${token.rawName}${hint}`;
    }
    if (token.value === undefined || token.value === "") return `${token.rawName} needs a value`;
  }
  return null;
}
