import { describe, expect, it } from "vitest";
import type { Store } from "../../../src/store/store.ts";
import type { JsonObject } from "../../../src/turn/index.ts";
import { ann, bob, type StoreOf, said, shows, turn } from "./turns.ts";

/** Everything that the store holds, by table. */
async function everything(store: Store): Promise<Map<string, JsonObject[]>> {
  const tables = new Map<string, JsonObject[]>();
  for await (const { table, row } of store.export()) {
    const rows = tables.get(table);
    if (rows) rows.push(row);
    else tables.set(table, [row]);
  }
  return tables;
}

/** What refers to something that is gone, or is left over, as sentences. */
async function damageOf(store: Store): Promise<string[]> {
  const tables = await everything(store);
  const rows = (table: string) => tables.get(table) ?? [];
  const named = (...names: unknown[]) => names.join(" ");
  const damage: string[] = [];
  const conversations = new Map(rows("conversations").map((row) => [row.id, row]));
  const messages = new Set(rows("messages").map((row) => named(row.conversation, row.position)));
  const contents = new Set(rows("contents").map((row) => named(row.owner, row.digest)));
  const uses = new Set(rows("message_contents").map((row) => named(row.owner, row.digest)));
  const needed = new Set<unknown>();
  for (const { id, parent, parent_position: from, length } of conversations.values()) {
    needed.add(parent);
    if (parent !== null && !conversations.has(parent)) damage.push(`the parent of ${id} is gone`);
    for (let at = Number(from); at < Number(length); at++)
      if (!messages.has(named(id, at))) damage.push(`message ${at} of ${id} is gone`);
  }
  for (const { id, conversation, end_position: end } of rows("responses")) {
    needed.add(conversation);
    if (Number(conversations.get(conversation)?.length ?? -1) < Number(end)) damage.push(`${id} has lost its messages`);
  }
  for (const id of conversations.keys()) if (!needed.has(id)) damage.push(`nobody needs ${id}`);
  for (const { conversation, position } of rows("messages"))
    if (Number(conversations.get(conversation)?.length ?? -1) <= Number(position))
      damage.push(`message ${position} of ${conversation} is left over`);
  for (const { id, conversation, position } of rows("items"))
    if (!messages.has(named(conversation, position))) damage.push(`item ${id} is left over`);
  for (const { digest, conversation, position } of rows("message_contents"))
    if (!messages.has(named(conversation, position))) damage.push(`a use of ${digest} is left over`);
  for (const use of uses) if (!contents.has(use)) damage.push(`content ${use} is gone`);
  for (const content of contents) if (!uses.has(content)) damage.push(`content ${content} is left over`);
  return damage;
}

export function describeIntegrity(store: StoreOf): void {
  describe("everything at once", () => {
    it("leaves nothing over, and loses nothing that is needed", { timeout: 60_000 }, async () => {
      const work = Array.from({ length: 8 }, (_, number) => busy(store(), number));
      const kept = await Promise.all(work);
      expect(await damageOf(store())).toEqual([]);
      expect(kept.flat().length).toBeGreaterThan(100);
      for (let batch = 0; batch < 100 && (await store().expire(10_000, Date.now())); batch++);
      await store().expire(10_000, Date.now());
      expect(await damageOf(store())).toEqual([]);
    });
  });
}

/** A client that keeps, continues, repeats, reads and deletes. The numbers decide what it does, so that every run is the same. */
async function busy(store: Store, number: number): Promise<string[]> {
  const owner = number % 2 === 0 ? ann : bob;
  const kept: string[] = [];
  let random = number + 1;
  const next = (most: number) => {
    random = (random * 48_271) % 2_147_483_647;
    return random % most;
  };
  for (let at = 0; at < 60; at++) {
    const id = `r${number}_${at}`;
    const image = shows({ type: "image", url: `data:${String(next(3)).repeat(2_000)}` }, `i${id}`);
    const previous = next(3) === 0 ? undefined : kept[next(Math.max(1, kept.length))];
    const fields = { owner, createdAt: at, input: [image], previous };
    const what = next(10);
    if (what < 5) await store.keep(turn(id, id, fields));
    else if (what < 6)
      await store.keep(turn(id, id, { ...fields, api: "chat", repeat: { digest: `${next(3)}`, within: null } }));
    else if (what < 8)
      await store.keep(
        turn(id, id, {
          ...fields,
          previous: undefined,
          conversation: "shared",
          repeat: { digest: "d", within: next(50) },
        }),
      );
    else if (what < 9) await store.expire(at - 30, Date.now());
    else await store.remove(owner, "responses", kept[next(Math.max(1, kept.length))] ?? "none");
    if (what < 8) kept.push(id);
    await said(store, { previous: kept.at(-1) }, owner);
  }
  return kept;
}
