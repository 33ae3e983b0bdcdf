import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";

const item = { type: "reasoning", id: "rs_1", summary: [] };
const delta = { type: "response.reasoning_text.delta", item_id: "rs_1", output_index: 0, delta: "Hm." };
const chunks = [
  { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
  { type: "response.output_item.added", output_index: 0, item },
  { ...delta, content_index: -1 },
  { type: "response.output_item.done", output_index: 0, item },
  { type: "response.completed", response: { id: "resp_1", status: "completed", output: [item] } },
];

let provider: Provider;
let gateway: Awaited<ReturnType<typeof startGateway>>;

beforeAll(async () => {
  provider = await startProvider(() => ({ chunks }));
  gateway = await startGateway(bothBackends(provider));
});

afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});

it("reasoning whose index is below zero is a part like any other", async () => {
  const body = requestFor("responses", { model: "responses/m", stream: true });
  const answer = await ask(gateway, "responses", body, {}, { usageUnknown: true });
  expect(answer).toMatchObject({ reasoning: "Hm.", ended: "completed" });
});
