import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { type JsonObject, parseJson } from "../../src/turn/index.ts";

/** Where a gateway writes its telemetry events, and what it has written. */
export interface EventsFile {
  path: string;
  /** The events of a turn, by its request's id; they are written a moment after it. */
  of(requestId: string): Promise<JsonObject[]>;
  remove(): void;
}

export function createEventsFile(): EventsFile {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-events-"));
  const path = join(folder, "events.ndjson");
  return {
    path,
    of: (requestId) =>
      vi.waitFor(() => {
        const lines = readFileSync(path, "utf8").trim().split("\n");
        const all = lines.map((line) => parseJson(line) as JsonObject);
        const events = all.filter((event) => event.request_id === requestId);
        expect(events.at(-1)?.event).toBe("turn_finished");
        return events;
      }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function named(events: readonly JsonObject[], name: string): JsonObject[] {
  return events.filter(({ event }) => event === name);
}
