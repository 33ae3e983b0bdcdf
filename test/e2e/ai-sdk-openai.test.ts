import { createOpenAI } from "@ai-sdk/openai";
import { expect, it } from "vitest";
import { describeRoundTrips, describeUse, type Gateway, weatherStation } from "./support/round-trip.ts";
import { answer, preamble } from "./support/script.ts";
import { streamTextProgram } from "./support/stream-text.ts";

const providerOf = ({ url }: Gateway) => createOpenAI({ baseURL: url, apiKey: "none" });
const use = { client: ["ai", "@ai-sdk/openai"], mode: "`streamText`" };

const onChat = streamTextProgram({ model: (gateway, name) => providerOf(gateway).chat(name), thinks: false });
describeRoundTrips({ ...use, api: "chat" }, onChat, null);

const responses = { model: (gateway: Gateway, name: string) => providerOf(gateway).responses(name), thinks: true };
const onResponses = streamTextProgram({ ...responses, options: { openai: { store: false } } });
describeRoundTrips({ ...use, api: "responses" }, onResponses, null);

describeUse({ ...use, api: "responses" }, (backend, gateway) => {
  it("without store: false, may refer to what was said only where the provider keeps it", async () => {
    const { weather } = weatherStation();
    const outcome = streamTextProgram(responses)(gateway, `${backend}/talkative`, weather);
    if (backend === "responses") expect(await outcome).toHaveProperty("said", preamble + answer);
    else await expect(outcome).rejects.toThrow(/Send the item itself/);
  });
});
