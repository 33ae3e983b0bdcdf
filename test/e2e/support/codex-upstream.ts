import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { JsonObject } from "../../../src/turn/index.ts";
import { objectsOf } from "../../support/folded.ts";
import { conversation, type Provider, type Reply } from "../../support/provider.ts";

/** The tools that Codex offered the model, in either of its two ways, with nothing left out. */
export function upstreamTools(body: JsonObject): JsonObject[] {
  const added = objectsOf(body.input).filter(({ type }) => type === "additional_tools");
  const listed = [body, ...added].flatMap(({ tools }) => objectsOf(tools));
  return listed.flatMap((tool) =>
    tool.type === "namespace" && tool.name === "functions" ? objectsOf(tool.tools) : [tool],
  );
}

export function toolNames(body: JsonObject): string[] {
  return upstreamTools(body).map(({ name, type }) => String(name ?? type));
}

/** Who said what: the messages that Codex sent, in order. */
export function upstreamMessages(body: JsonObject): [role: string, text: string][] {
  return conversation(body).flatMap((entry) => (entry.kind === "message" ? [[entry.role, entry.text]] : []));
}

/** The items of the conversation of one type. */
export function upstreamItems(body: JsonObject | undefined, type: string): JsonObject[] {
  return objectsOf(body?.input).filter((item) => item.type === type);
}

/** The one request that Codex made; it would make another soon if it thought that the turn goes on. */
export async function onlyRequest(provider: Provider): Promise<JsonObject> {
  await sleep(300);
  expect(provider.requests).toHaveLength(1);
  return provider.requests[0]?.body ?? {};
}

/** What a model would say if it were asked again; so slowly that it is heard only where nobody stops it. */
export const again: Reply = { say: "Nobody asked for this. ".repeat(20), chunk: 7, pieceDelay: 50 };

/**
 * The one request that came to an answer. A call that Codex knows nothing of it answers itself, and asks again at once: it is
 * stopped then, which can be a moment too late for the request but not for its answer.
 */
export async function onlyAnswered(provider: Provider): Promise<JsonObject> {
  await sleep(300);
  const [first, ...others] = provider.requests;
  expect(others.length).toBeLessThanOrEqual(1);
  for (const other of others) expect(other.closedEarly).toBe(true);
  return first?.body ?? {};
}
