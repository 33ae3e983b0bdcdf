import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { queryObjects } from "node:v8";
import { Exchange } from "../../../dist/backends/codex/exchange.js";
import { toConfig } from "../../../dist/config/index.js";
import { parts } from "../../../dist/gateway/parts.js";
import { startServer } from "../../../dist/http/server.js";
import { createLodging } from "../../codex/lodging.mjs";
import { serve } from "../../codex/serve.mjs";
import { untilReady } from "../../codex/until-ready.mjs";
import { sizeOf } from "./folder-size.mjs";

/** The real server before a Codex that is tapped. A failure is final and has no consequences, since some are asked for. */
const [provider, codex, port] = process.argv.slice(2);
process.env.TOOLWIRE_SOAK_PORT = port;
const tap = fileURLToPath(new URL("./tap.mjs", import.meta.url));

await serve(async () => {
  const { home, temporary } = createLodging(provider);
  const alone = { retries: 0, breaker: { failures: 1_000_000 } };
  const command = [process.execPath, tap, codex, "app-server"];
  const config = toConfig(
    {
      backends: { codex: { kind: "codex", command, home, ...alone } },
      models: { written: { backend: "codex", model: "written", tools: "prompted" } },
    },
    { ...parts, environment: {}, directory: temporary, listen: { host: "127.0.0.1", port: 0 } },
  );
  const server = await startServer(config);
  await untilReady(server.url);
  const close = async () => {
    await server.close();
    return readdirSync(temporary);
  };
  const sizes = () => ({ temporary: sizeOf(temporary), home: sizeOf(home) });
  return { started: { url: server.url }, answers: { counts, sizes, close }, close };
});

const { constructor: Timeout } = setTimeout(() => {}, 0);

/** What there is after a collection: counting objects makes one, and what the first finalises is freed by the next. */
function counts() {
  for (let times = 0; times < 4; times++) globalThis.gc();
  const handles = process.getActiveResourcesInfo().filter((type) => type !== "Timeout" && type !== "Immediate");
  const [exchanges, timers] = [Exchange, Timeout].map((type) => queryObjects(type, { format: "count" }));
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed + external, exchanges, timers, handles: handles.length };
}
