import { tmpdir } from "node:os";
import { toConfig } from "../../src/config/index.ts";
import { createGateway } from "../../src/gateway/index.ts";
import { parts } from "../../src/gateway/parts.ts";
import { createApp } from "../../src/http/app.ts";
import type { AnswerStore, JsonObject } from "../../src/turn/index.ts";

/** A server whose stored answers are those of a test. */
export async function startWithAnswers(answers: AnswerStore, config: JsonObject = {}) {
  const source = { ...parts, environment: {}, directory: tmpdir() };
  const gateway = await createGateway(
    toConfig({ log: { level: "silent" }, store: { url: "memory:" }, ...config }, source),
  );
  Object.defineProperty(gateway, "answers", { value: answers });
  const { server } = createApp(gateway);
  return {
    url: await server.listen({ host: "127.0.0.1", port: 0 }),
    gateway,
    async close() {
      server.server.closeAllConnections();
      await server.close();
      await gateway.close();
    },
  };
}
