import { z } from "zod";
import { formatDuration, longestTimer, parseDuration } from "./duration.ts";
import { didYouMean } from "./nearest.ts";
import { formatSize, parseSize } from "./size.ts";

/** The types of values in a configuration. Each has a message that says what it expects. */

/**
 * Reads one value; `read` returns undefined for an invalid one. The hint ends the message and says what to do. Values from the
 * environment are text, so numbers and flags are parsed from text as well.
 */
export function value<T>(
  expected: string,
  read: (input: unknown) => T | undefined,
  hint: (input: unknown) => string = () => "",
) {
  return z.unknown().transform((input, context): T => {
    const result = read(input);
    if (result !== undefined) return result;
    context.addIssue({ code: "custom", message: `expected ${expected}`, params: { hint: hint(input) }, input });
    return z.NEVER;
  });
}

export function text(expected: string, form: RegExp = /^[^\p{Cc}]+$/u) {
  return value(expected, (input) => (typeof input === "string" && form.test(input) ? input : undefined));
}

export function oneOf<const Name extends string>(...names: Name[]) {
  return value(
    names.length === 1 ? names.join() : `one of ${names.join(", ")}`,
    (input) => names.find((name) => name === input),
    (input) => didYouMean(input, names),
  );
}

export function flag() {
  return value("true or false", (input) => {
    if (input === true || input === "true") return true;
    return input === false || input === "false" ? false : undefined;
  });
}

export function integer({ least = 0, most = Number.MAX_SAFE_INTEGER } = {}) {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return value(`a whole number ${range}`, (input) => {
    const number = typeof input === "string" && /^\d{1,15}$/.test(input) ? Number(input) : input;
    return typeof number === "number" && Number.isSafeInteger(number) && number >= least && number <= most
      ? number
      : undefined;
  });
}

export function duration({ least = 1, most = longestTimer } = {}) {
  const range = least === 0 ? `at most ${formatDuration(most)}` : `${formatDuration(least)} to ${formatDuration(most)}`;
  return value(
    `a duration such as 250ms, 10s or 5m (${range})`,
    (input) => {
      const milliseconds = parseDuration(input);
      return milliseconds !== undefined && milliseconds >= least && milliseconds <= most ? milliseconds : undefined;
    },
    (input) => (typeof input === "number" && input > 0 ? `; did you mean ${input}s?` : ""),
  );
}

export function size({ most = Number.MAX_SAFE_INTEGER } = {}) {
  const range = most === Number.MAX_SAFE_INTEGER ? "" : ` (at most ${formatSize(most)})`;
  return value(`a size such as 64kb or 4mb${range}`, (input) => {
    const bytes = parseSize(input);
    return bytes !== undefined && bytes > 0 && bytes <= most ? bytes : undefined;
  });
}

/** A list. A key without a value is an empty list, for example if every entry is commented out. */
export function list<Entry extends z.ZodType>(entry: Entry) {
  return z.preprocess((input) => input ?? [], z.array(entry, { error: () => "expected a list" }));
}

/** A list, or one of the words that are allowed instead. */
export function wordOrList<const Word extends string>(words: readonly Word[], entries: string) {
  return value(
    `${words.join(", ")} or a list of ${entries}`,
    (input): Word | string[] | undefined => {
      if (Array.isArray(input) && input.every((entry) => typeof entry === "string" && entry !== "")) return input;
      return words.find((word) => word === input);
    },
    (input) => didYouMean(input, words),
  );
}

/** A mapping with these keys and no others. A key without a value is an empty mapping. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess((input) => input ?? {}, strict(shape));
}

/** The error message has one line for each unknown key, in the order of the issue's keys. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => unknownKey(key, known)).join("\n")
        : "expected a mapping",
  });
}

function unknownKey(key: string, known: readonly string[]): string {
  return `unknown key${didYouMean(key, known) || `; known here: ${known.join(", ")}`}`;
}

/** A mapping whose keys are names chosen by the user. */
export function named<Entry extends z.ZodType>(expectedName: string, form: RegExp, entry: Entry) {
  const name = z.string().regex(form);
  const error = (issue: { code?: string }) =>
    issue.code === "invalid_key" ? `expected ${expectedName}` : "expected a mapping";
  return z.preprocess((input) => input ?? {}, z.record(name, entry, { error }));
}
