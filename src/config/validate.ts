import type { z } from "zod";
import { backendKinds } from "./kinds/index.ts";
import { remove, valueAt } from "./mapping.ts";
import { describeFound, describeKind, formatPath, type Mistake, type Path } from "./mistake.ts";
import { type Settings, settingsSchema } from "./schema.ts";

export interface Validated {
  /** The valid part of the configuration: invalid keys are treated as absent. Undefined if the whole is invalid. */
  settings: Settings | undefined;
  mistakes: Mistake[];
}

/**
 * Validates plain values against the schema. Invalid values are reported and removed, and the rest is validated again, so that one
 * mistake does not hide another that only a later check can find. Values at the `failed` paths are removed first.
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
    for (const { removed } of problems) {
      // The mapping around this value may have been removed with another mistake.
      const there = valueAt(value, removed.slice(0, -1)) !== undefined;
      if (there && remove(value, removed)) return { settings: undefined, mistakes };
    }
  }
}

/** Keys whose values must not be printed: of the gateway's keys, of MCP servers, and of every kind of backend. */
const secretKeys = new Set<PropertyKey>([
  ...["key", "hash", "headers", "env"],
  ...Object.values(backendKinds).flatMap((kind) => kind.secretKeys),
]);

interface Problem {
  path: Path;
  message: string;
  /** The path to remove. */
  removed: Path;
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

function problem(path: Path, message: string, removed = path): Problem {
  return { path, message, removed };
}
