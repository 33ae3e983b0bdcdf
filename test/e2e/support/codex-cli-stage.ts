import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { RunningServer } from "../../../src/http/server.ts";
import type { JsonObject } from "../../../src/turn/index.ts";
import { startGateway } from "../../support/gateway.ts";
import { type Provider, type Script, startProvider } from "../../support/provider.ts";
import { type CliRun, type CliSettings, CliWorkspace, clientKey } from "./codex-cli.ts";

/** How a model is reached: over Chat Completions, over it without tools, over Responses. */
export type Way = "chat" | "prompted" | "responses";
export const ways: Way[] = ["chat", "prompted", "responses"];

/**
 * What the CLI knows of a model it knows by the model's name: of one that it has never heard of, of one that takes patches as free
 * text and is given most tools only when it searches for them, and of one whose only tool runs JavaScript. Of one that the gateway
 * lists it knows what the gateway says, where it asks.
 */
export const models = { unknown: "my-model", patches: "gpt-5.5", scripts: "gpt-5.6-sol", listed: "scripted" } as const;

/** What the tests of a file share: a provider that follows a script, and a gateway before it. */
export interface CliStage {
  provider: Provider;
  /** What the provider's model does; each test says it. */
  script: Script;
  /** A folder of its own for each test. */
  workspace: CliWorkspace;
  /** One more of them. */
  another(): CliWorkspace;
  /** The CLI, once, in that folder. */
  run(model: string, prompt: string, settings?: CliSettings): Promise<CliRun>;
}

/** Sets it up for all tests of the file. Its parts are there once a test runs. */
export function cliStage(config: JsonObject = {}): CliStage {
  let gateway: RunningServer | undefined;
  const opened: CliWorkspace[] = [];
  const stage: Partial<CliStage> & Omit<CliStage, "provider" | "workspace"> = {
    script: () => ({ status: 500 }),
    another() {
      if (!gateway) throw new Error("No test runs");
      const workspace = new CliWorkspace(gateway);
      opened.push(workspace);
      return workspace;
    },
    run(model, prompt, settings) {
      if (!stage.workspace) throw new Error("No test runs");
      return stage.workspace.run(model, prompt, settings);
    },
  };
  beforeAll(async () => {
    stage.provider = await startProvider((request) => stage.script(request));
    gateway = await startGateway({ ...backendsOf(stage.provider), keys: [clientKey], ...config });
  });
  afterAll(async () => {
    await gateway?.close();
    await stage.provider?.close();
  });
  beforeEach(() => {
    if (stage.provider) stage.provider.requests.length = 0;
    stage.workspace = stage.another();
  });
  afterEach(() => {
    for (const workspace of opened.splice(0)) workspace.remove();
  });
  return stage as CliStage;
}

/** One provider behind every kind of backend, and once more under another name. A failure is final and has no consequences. */
function backendsOf({ url }: Provider): JsonObject {
  const backend = { base_url: url, api_key: "provider-secret", retries: 0, breaker: { failures: 1_000_000 } };
  return {
    backends: {
      chat: { kind: "chat", ...backend },
      prompted: { kind: "chat", tools: "prompted", ...backend },
      responses: { kind: "responses", ...backend },
      elsewhere: { kind: "responses", ...backend },
    },
  };
}
