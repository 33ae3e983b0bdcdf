import { parseArgs } from "node:util";
import { didYouMean } from "../config/index.ts";

export interface Flags {
  /** A positional argument follows the command without a flag. */
  readonly [name: string]: { readonly type: "string" | "positional" };
}

/** Returns the first mistake in the flags, or null. Needed because citty accepts unknown flags. */
export function findFlagMistake(written: readonly string[], flags: Flags): string | null {
  const named = Object.keys(flags).filter((name) => flags[name]?.type === "string");
  let positionals = Object.keys(flags).length - named.length;
  const { tokens } = parseArgs({
    args: [...written],
    options: Object.fromEntries(named.map((name) => [name, { type: "string" as const }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "positional" && --positionals < 0)
      return `unexpected argument ${token.value}; write the command first, then its flags`;
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
