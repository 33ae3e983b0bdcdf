import { afterEach, expect, it } from "vitest";
import { ask, followUp, requestFor } from "../support/gateway.ts";
import { itemsReply } from "../support/provider.ts";
import { closeRounds, inOrder, type Rounds, secondRound, startRounds, tools } from "../support/rounds.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };
const search = { type: "web_search_call", id: "ws_1", status: "completed" };
const call = { type: "function_call", id: "fc_1", call_id: "call_1", arguments: "{}", status: "completed" };
const wish = { model: "responses/m", tools };
const unknown = { usageUnknown: true };

/** A Responses provider refuses a request that has an item twice. */
function expectOnce(): void {
  expect(JSON.stringify(rounds.provider.requests[1]?.body.input).split('"id":"rs_1"')).toHaveLength(2);
}

it("reasoning before a search of the provider's goes back once, in the next round of a turn", async () => {
  rounds = await startRounds(inOrder(itemsReply([thought, search, { ...call, name: "lookup" }]), secondRound));
  await ask(rounds.gateway, "responses", requestFor("responses", wish), {}, unknown);
  expectOnce();
});

it("reasoning before a search of the provider's goes back once, in the next turn of a client that repeats it", async () => {
  rounds = await startRounds(inOrder(itemsReply([thought, search, { ...call, name: "get_weather" }]), secondRound));
  const first = await ask(rounds.gateway, "responses", requestFor("responses", wish), {}, unknown);
  const after = followUp("responses", first, ["sunny"]);
  await ask(rounds.gateway, "responses", requestFor("responses", { ...wish, after }), {}, unknown);
  expectOnce();
});
