import type { z } from "zod";
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
    for (const { path } of problems) {
      // Another mistake may have taken out the mapping that this one is in.
      const there = valueAt(value, path.slice(0, -1)) !== undefined;
      if (there && remove(value, path)) return { settings: undefined, mistakes };
    }
  }
}

interface Problem {
  path: Path;
  message: string;
}

function toProblems(issue: z.core.$ZodIssue, value: unknown): Problem[] {
  const { path, message } = issue;
  if (issue.code === "unrecognized_keys") {
    const lines = message.split("\n");
    return issue.keys.map((key, index) => ({ path: [...path, key], message: lines[index] ?? "unknown key" }));
  }
  if (issue.code === "invalid_key") return [{ path, message }];
  const found = valueAt(value, path);
  if (found === undefined) return [{ path, message: `missing; ${message}` }];
  if (issue.code !== "custom") return [{ path, message: `${message}, found ${describeKind(found)}` }];
  const hint: unknown = issue.params?.hint;
  return [{ path, message: `${message}, found ${describeFound(path, found)}${typeof hint === "string" ? hint : ""}` }];
}
