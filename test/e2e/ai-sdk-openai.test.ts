import { createOpenAI } from "@ai-sdk/openai";
import { expect, it } from "vitest";
import { describeRoundTrips, describeUse, type Gateway, weatherStation } from "./support/round-trip.ts";
import { answer, preamble } from "./support/script.ts";
import { generateTextProgram, type Setting, streamTextProgram } from "./support/stream-text.ts";

const providerOf = ({ url }: Gateway) => createOpenAI({ baseURL: url, apiKey: "none" });
const use = { client: ["ai", "@ai-sdk/openai"], mode: "`streamText`" };

const onChat = streamTextProgram({ model: (gateway, name) => providerOf(gateway).chat(name), thinks: false });
describeRoundTrips({ ...use, api: "chat" }, onChat, null);

const responses: Setting = { model: (gateway, name) => providerOf(gateway).responses(name), thinks: true };
describeRoundTrips({ ...use, api: "responses" }, streamTextProgram(responses), null);
describeRoundTrips({ ...use, mode: "`generateText`", api: "responses" }, generateTextProgram(responses), null);

const onItsOwn = streamTextProgram({ ...responses, options: { openai: { store: false } } });
describeRoundTrips({ ...use, mode: "`streamText` with `store: false`", api: "responses" }, onItsOwn, null);

describeUse({ ...use, api: "responses" }, (backend, gateway) => {
  it("names what the model has said by its id", async () => {
    const bodies: string[] = [];
    const noting: typeof fetch = (url, options) => {
      bodies.push(String(options?.body));
      return fetch(url, options);
    };
    const model: Setting["model"] = ({ url }, name) =>
      createOpenAI({ baseURL: url, apiKey: "none", fetch: noting })(name);
    const { weather } = weatherStation();
    const { said } = await streamTextProgram({ model, thinks: true })(gateway, `${backend}/talkative`, weather);
    expect(said).toBe(preamble + answer);
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toContain('"item_reference"');
    expect(bodies[1]).not.toContain(preamble);
  });
});
