import { afterAll, beforeAll, beforeEach } from "vitest";
import { type Provider, type Script, startProvider } from "../../support/provider.ts";
import { type CodexGateway, startCodexGateway } from "./codex.ts";

/** What the tests of a file share: a provider that follows a script, and a gateway with Codex before it. */
export interface CodexStage {
  provider: Provider;
  gateway: CodexGateway;
  /** What the provider's model does; each test begins with the usual. */
  script: Script;
}

/** Sets it up for all tests of the file. Its parts are there once a test runs. */
export function codexStage(usual: Script = () => ({ say: "Fine." })): CodexStage {
  const stage: Partial<CodexStage> & { script: Script } = { script: usual };
  beforeAll(async () => {
    stage.provider = await startProvider((request) => stage.script(request));
    stage.gateway = await startCodexGateway(stage.provider);
  });
  afterAll(async () => {
    await stage.gateway?.close();
    await stage.provider?.close();
  });
  beforeEach(() => {
    if (stage.provider) stage.provider.requests.length = 0;
    stage.script = usual;
  });
  return stage as CodexStage;
}
