import { parseArgs } from "node:util";
import { didYouMean } from "../config/index.ts";

export interface Flags {
  /** A positional argument follows the command without a flag. A boolean flag has no value. */
  readonly [name: string]: {
    readonly type: "string" | "boolean" | "positional";
    readonly required?: boolean;
    readonly valueHint?: string;
  };
}

/** Returns the first mistake in the flags, or null. Needed because citty accepts unknown flags. */
export function findFlagMistake(written: readonly string[], flags: Flags): string | null {
  const named = Object.keys(flags).filter((name) => flags[name]?.type !== "positional");
  const isBoolean = (name: string) => flags[name]?.type === "boolean";
  const positionals = Object.values(flags).filter(({ type }) => type === "positional");
  let given = 0;
  const { tokens } = parseArgs({
    args: [...written],
    options: Object.fromEntries(
      named.map((name) => [name, { type: isBoolean(name) ? ("boolean" as const) : ("string" as const) }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "positional" && ++given > positionals.length)
      return `unexpected argument ${token.value}; write the command first, then its flags`;
    if (token.kind !== "option") continue;
    if (!named.includes(token.name)) {
      const known = named.map((name) => `--${name}`);
      const hint = didYouMean(token.rawName, known) || `; there are ${known.join(", ")}`;
      return `there is no flag ${token.rawName}${hint}`;
    }
    if (isBoolean(token.name)) {
      if (token.value !== undefined) return `${token.rawName} takes no value`;
    } else if (token.value === undefined || token.value === "") return `${token.rawName} needs a value`;
  }
  const missing = positionals.slice(given).find(({ required = true }) => required);
  return missing ? `${missing.valueHint ?? "an argument"} is missing` : null;
}
