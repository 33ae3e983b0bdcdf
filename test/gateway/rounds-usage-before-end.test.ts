import { afterEach, expect, it } from "vitest";
import type { TurnEnd } from "../../src/engine/index.ts";
import type { TurnEnding } from "../../src/turn/index.ts";
import { ask, requestFor } from "../support/gateway.ts";
import {
  closeRounds,
  firstRound,
  inOrder,
  modes,
  type Rounds,
  runTools,
  secondRound,
  startRounds,
  tools,
} from "../support/rounds.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

/** Who keeps a response has to keep its usage, too: it is part of the ending that the client is told. */
it.each(modes)(
  "what happens before the end is told what the turn has cost ($client client, $backend backend, $mode)",
  async (mode) => {
    const { client, backend, stream } = mode;
    const endings: TurnEnding[] = [];
    const beforeEnd = async ({ ending }: TurnEnd) => void endings.push(ending);
    rounds = await startRounds(inOrder(firstRound, secondRound), { seams: { ...runTools, beforeEnd } });
    await ask(rounds.gateway, client, requestFor(client, { model: `${backend}/m`, tools, stream }));
    const usage = { inputTokens: 40, outputTokens: 12, totalTokens: 52 };
    expect(endings).toMatchObject([{ type: "turn.finished", usage }]);
  },
);
