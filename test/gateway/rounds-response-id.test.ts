import { afterEach, expect, it } from "vitest";
import { isObject } from "../../src/turn/index.ts";
import { ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Script, startProvider } from "../support/provider.ts";
import { closeRounds, firstRound, type Rounds, runTools, secondRound, tools } from "../support/rounds.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

const script: Script = ({ model, count }) => {
  if (model === "second") return secondRound;
  return count === 1 ? firstRound : { status: 500 };
};

/** What the provider keeps under that id ends with a call that was never answered there. */
it.each([true, false])(
  "a request that names an answer whose last round another backend gave does not go on behind its first round (stream: %s)",
  async (stream) => {
    const provider = await startProvider(script);
    const models = { m: { backend: "responses", model: "first", fallback: ["chat/second"] } };
    const gateway = await startGateway({ ...bothBackends(provider), models }, { seams: () => runTools });
    rounds = { provider, gateway };
    const body = requestFor("responses", { model: "m", tools, stream });
    const { json } = await ask(gateway, "responses", body);
    const id = isObject(json) ? json.id : undefined;
    expect(id).toMatch(/^resp_/);
    await ask(gateway, "responses", { ...body, stream: false, previous_response_id: id });
    expect(provider.requests.map((request) => request.body.previous_response_id)).not.toContain("resp_scripted");
  },
);
