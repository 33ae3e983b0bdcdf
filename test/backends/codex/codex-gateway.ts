import type { JsonObject } from "../../../src/turn/index.ts";
import type { Api } from "../../support/api.ts";
import { createScene, type Scene, type SceneOptions } from "../../support/app-server/index.ts";
import { type Answer, type AskOptions, ask, requestFor, startGateway, type TurnWish } from "../../support/gateway.ts";

/** Both APIs, streamed and whole. */
export const forms = (["chat", "responses"] as const).flatMap((api) =>
  [true, false].map((stream): [api: Api, stream: boolean] => [api, stream]),
);

/** What a program does by and by is waited for on a busy machine, too. */
export const patient = { timeout: 8_000 };

export interface CodexGateway {
  url: string;
  /** What stands behind the backend. */
  scene: Scene;
  /** One turn of the model `codex/fake-model`. */
  turn(api: Api, wish: Partial<TurnWish>, options?: AskOptions): Promise<Answer>;
  /** What GET /ready says. */
  ready(): Promise<{ status: number; text: string }>;
  /** Closes the gateway alone; what the program wrote down can still be read. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** A gateway with the one backend `codex`, whose program does what the scene says. */
export async function startCodex(options: SceneOptions, backend: JsonObject = {}): Promise<CodexGateway> {
  const scene = await createScene(options);
  // A turn that hangs fails one test, and not those behind it.
  const gateway = await startGateway({ ...scene.config(backend), limits: { drain: "1s" } });
  const { url } = gateway;
  return {
    url,
    scene,
    turn: (api, wish, options = {}) => {
      const usage = api === "chat" && wish.stream === true;
      const body = requestFor(api, { model: "codex/fake-model", usage, ...wish });
      return ask({ url }, api, body, {}, { usageUnknown: true, ...options });
    },
    async ready() {
      const response = await fetch(`${url}/ready`);
      return { status: response.status, text: await response.text() };
    },
    stop: () => gateway.close(),
    async close() {
      await gateway.close();
      await scene.dispose();
    },
  };
}
