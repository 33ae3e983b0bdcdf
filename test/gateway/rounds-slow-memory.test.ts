import { setTimeout as pass } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { InProcessMemory } from "../../src/store/index.ts";
import type { MemoryRecord } from "../../src/turn/index.ts";
import { ask, requestFor } from "../support/gateway.ts";
import { conversation } from "../support/provider.ts";
import {
  closeRounds,
  inOrder,
  lookup,
  modes,
  type Rounds,
  secondRound,
  startRounds,
  tools,
} from "../support/rounds.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

/** As far away as a database. */
class RemoteMemory extends InProcessMemory {
  override async write(owner: string, records: readonly MemoryRecord[]): Promise<void> {
    await pass(50);
    await super.write(owner, records);
  }
}

it.each(modes)(
  "the next round names a call as its model did, though the memory is slow ($client client, $backend backend, $mode)",
  async (mode) => {
    const { client, backend, stream } = mode;
    const id = "functions.lookup:0";
    rounds = await startRounds(inOrder({ calls: [{ ...lookup, id }] }, secondRound), { memory: new RemoteMemory() });
    await ask(rounds.gateway, client, requestFor(client, { model: `${backend}/m`, tools, stream }));
    expect(conversation(rounds.provider.requests[1]?.body ?? {})).toMatchObject([
      { kind: "message" },
      { kind: "call", id },
      { kind: "output", id },
    ]);
  },
);
