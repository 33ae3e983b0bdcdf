import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../../src/http/server.ts";
import { isObject, parseJson } from "../../../src/turn/index.ts";
import type { Api } from "../../support/api.ts";
import { bothBackends, startGateway } from "../../support/gateway.ts";
import { type Provider, startProvider } from "../../support/provider.ts";
import { answer, broken, cities, preamble, refusal, scenes, script, thought, usage } from "./script.ts";

/** The tool. */
export type Weather = (place: { city: string }) => string;

/** A user's program: it asks the question, runs what the model calls, and says what came of it. It fails as the client does. */
export type Program = (gateway: Gateway, model: string, weather: Weather) => Promise<Outcome>;

export interface Gateway {
  /** With `/v1`. */
  url: string;
}

export interface Outcome {
  /** The text of all turns. */
  said: string;
  /** Their reasoning, where the client has a place for it. */
  thought?: string;
  usage: { input: number; output: number };
}

export interface Use {
  /** Packages, the first of which is the one that a program calls. */
  client: readonly string[];
  /** What of it is used, as a program writes it. */
  mode: string;
  api: Api;
}

/**
 * Tests of one use of a client, on each kind of backend. Every pair has a gateway of its own, so that no failure of one test
 * can open a breaker for another. What passes is the client's row in the table of docs/clients.md.
 */
export function describeUse({ client, mode, api }: Use, tests: (backend: Api, gateway: Gateway) => void): void {
  const label = client.map((name) => `${name} ${versionOf(name)}`).join(" with ");
  for (const backend of ["chat", "responses"] as const) {
    const pair = `${api} → ${backend}`;
    describe(`${label}, ${mode}, ${pair}`, { meta: { cell: { client: label, mode, pair } } }, () => {
      let provider: Provider;
      let server: RunningServer;
      beforeAll(async () => {
        provider = await startProvider(script);
        server = await startGateway(bothBackends(provider, { retries: 0 }));
      });
      afterAll(async () => {
        await server.close();
        await provider.close();
      });
      const gateway = {
        get url() {
          return `${server.url}/v1`;
        },
      };
      tests(backend, gateway);
    });
  }
}

/**
 * What every user of a client can count on.
 * @param limited What the client's error says where the token limit cut a call; null where the client does not fail then.
 */
export function describeRoundTrips(use: Use, program: Program, limited: RegExp | null): void {
  describeUse(use, (backend, gateway) => {
    it.each(scenes)("runs each tool once and brings the answer of a %s model", async (scene) => {
      const { asked, weather } = weatherStation();
      const outcome = await program(gateway, `${backend}/${scene}`, weather);
      expect(asked).toEqual(cities.map((city) => ({ city })));
      expect(outcome.said).toBe(scene === "talkative" ? preamble + answer : answer);
      expect(outcome.usage).toEqual(usage);
      if (outcome.thought !== undefined) expect(outcome.thought).toBe(scene === "thoughtful" ? thought : "");
    });

    it("tells why the provider refused", async () => {
      const { weather } = weatherStation();
      await expect(program(gateway, `${backend}/refusing`, weather)).rejects.toThrow(refusal);
    });

    it("tells that the provider broke off in the middle of the text", async () => {
      const { weather } = weatherStation();
      await expect(program(gateway, `${backend}/cut-in-text`, weather)).rejects.toThrow(broken);
    });

    it("does not run a call in which the provider broke off", async () => {
      const { asked, weather } = weatherStation();
      await expect(program(gateway, `${backend}/cut-in-call`, weather)).rejects.toThrow(broken);
      expect(asked).toEqual([]);
    });

    it("does not run a call that the token limit cut", async () => {
      const { asked, weather } = weatherStation();
      const outcome = program(gateway, `${backend}/short`, weather);
      if (limited) await expect(outcome).rejects.toThrow(limited);
      else await outcome;
      expect(asked).toEqual([]);
    });
  });
}

/** The tool, which notes what it is asked. */
export function weatherStation(): { asked: unknown[]; weather: Weather } {
  const asked: unknown[] = [];
  const weather: Weather = (place) => {
    asked.push(place);
    return `${place.city}: 21`;
  };
  return { asked, weather };
}

function versionOf(name: string): string {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  const manifest = parseJson(readFileSync(file, "utf8"));
  return isObject(manifest) ? String(manifest.version) : "";
}
