import { parseArgs } from "node:util";
import { didYouMean } from "../config/index.ts";

export interface Flags {
  readonly [name: string]: { readonly type: "string" };
}

/** The parser takes whatever it is given; this is the first thing that a person should know about, or null. */
export function findFlagMistake(written: readonly string[], flags: Flags): string | null {
  const { tokens } = parseArgs({
    args: [...written],
    options: flags,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "positional")
      return `${token.value} is not understood here; a command comes first, then its flags`;
    if (token.kind !== "option") continue;
    if (!Object.hasOwn(flags, token.name)) {
      const known = Object.keys(flags).map((name) => `--${name}`);
      const hint = didYouMean(token.rawName, known) || `; there are ${known.join(", ")}`;
      return `there is no flag ${token.rawName}${hint}`;
    }
    if (token.value === undefined || token.value === "") return `${token.rawName} needs a value`;
  }
  return null;
}
