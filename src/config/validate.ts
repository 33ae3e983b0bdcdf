import type { z } from "zod";
import { backendKinds } from "./kinds/index.ts";
import { remove, valueAt } from "./mapping.ts";
import { describeFound, describeKind, formatPath, type Mistake, type Path } from "./mistake.ts";
import { type Settings, settingsSchema } from "./schema.ts";

export interface Validated {
  /** What could be read: a key with a mistake is as if it were not there. Undefined when nothing could. */
  settings: Settings | undefined;
  mistakes: Mistake[];
}

/**
 * Reads plain values by the schema. What is wrong is noted and taken out, and the rest is read again, so that one mistake does not
 * hide another that only a later check can see. What is at the paths that already failed is taken out from the start.
 */
export function validate(written: unknown, failed: readonly Path[] = []): Validated {
  const mistakes: Mistake[] = [];
  const value = structuredClone(written);
  for (const path of failed) remove(value, path);
  for (;;) {
    const result = settingsSchema.safeParse(value);
    if (result.success) return { settings: result.data, mistakes };
    const problems = result.error.issues.flatMap((issue) => toProblems(issue, value));
    mistakes.push(...problems.map(({ path, message }) => ({ path: formatPath(path), message })));
    for (const { taken } of problems) {
      // Another mistake may have taken out the mapping that this one is in.
      const there = valueAt(value, taken.slice(0, -1)) !== undefined;
      if (there && remove(value, taken)) return { settings: undefined, mistakes };
    }
  }
}

/** Keys whose values must not reach a screen: of the gateway's keys, of MCP servers, and of every kind of backend. */
const secretKeys = new Set<PropertyKey>([
  ...["key", "hash", "headers", "env"],
  ...Object.values(backendKinds).flatMap((kind) => kind.secretKeys),
]);

interface Problem {
  path: Path;
  message: string;
  /** What goes with it. */
  taken: Path;
}

function toProblems(issue: z.core.$ZodIssue, value: unknown): Problem[] {
  const { path, message } = issue;
  if (issue.code === "unrecognized_keys") {
    const lines = message.split("\n");
    return issue.keys.map((key, index) => problem([...path, key], lines[index] ?? "unknown key"));
  }
  if (issue.code === "invalid_key") return [problem(path, message)];
  const found = valueAt(value, path);
  if (found === undefined) return [problem(path, `missing; ${message}`)];
  if (issue.code !== "custom") return [problem(path, `${message}, found ${describeKind(found)}`)];
  const { hint = "", decidesTheRest = false } = issue.params ?? {};
  const line = `${message}, found ${describeFound(path, found, secretKeys)}${hint}`;
  return [problem(path, line, decidesTheRest ? path.slice(0, -1) : path)];
}

function problem(path: Path, message: string, taken = path): Problem {
  return { path, message, taken };
}
