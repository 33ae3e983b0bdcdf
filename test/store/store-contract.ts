import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { describeAnswers } from "./contract/answers.ts";
import { describeConversations } from "./contract/conversations.ts";
import { describeDeletion } from "./contract/deletion.ts";
import { describeHousekeeping } from "./contract/housekeeping.ts";
import { describeIntegrity } from "./contract/integrity.ts";
import { describeMoving } from "./contract/moving.ts";
import { describeOwners } from "./contract/owners.ts";
import { describeRepeats } from "./contract/repeats.ts";
import { describeMemory } from "./memory-contract.ts";

/** A store of a test, with what ends it. */
export interface TestedStore {
  store: Store;
  /** Deletes everything in it, for the next test. Without this, each test gets a store of its own. */
  empty?(): Promise<void>;
  close(): Promise<void>;
}

/** What whoever uses a `Store` relies on, whichever database is behind it. Every store that is created is empty. */
export function describeStore(name: string, create: () => Promise<TestedStore>): void {
  const open: TestedStore[] = [];
  const emptied: TestedStore[] = [];
  const created = async () => {
    const tested = emptied.pop() ?? (await create());
    open.push(tested);
    return tested.store;
  };
  const release = async (tested: TestedStore) => {
    if (!tested.empty) return await tested.close();
    await tested.empty();
    emptied.push(tested);
  };

  describe(`${name}, as a store`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await created();
    });
    afterEach(async () => {
      for (const tested of open.splice(0)) await release(tested);
    });
    afterAll(async () => {
      for (const { close } of emptied.splice(0)) await close();
    });

    describeConversations(() => store);
    describeAnswers(() => store);
    describeRepeats(() => store);
    describeDeletion(() => store);
    describeOwners(() => store);
    describeIntegrity(() => store);
    describeHousekeeping(() => store);
    describeMoving(() => store, created);
    describeMemory(name, () => store);

    it("is empty at first, and says that it works", async () => {
      await store.ready();
      expect(store.trouble).toBeNull();
      expect(await store.keys()).toEqual([]);
      expect((await store.stats()).rows.conversations).toBe(0);
    });
  });
}
