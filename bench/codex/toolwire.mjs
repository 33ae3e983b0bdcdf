import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toConfig } from "../../dist/config/index.js";
import { parts } from "../../dist/gateway/parts.js";
import { startServer } from "../../dist/http/server.js";
import { createLodging } from "./lodging.mjs";
import { serve } from "./serve.mjs";
import { untilReady } from "./until-ready.mjs";

/** The real server, as it is built, with its defaults and Codex as its only backend. */
const [provider, codex] = process.argv.slice(2);
const recorder = fileURLToPath(new URL("./recorder.mjs", import.meta.url));

await serve(async () => {
  const { folder, home, temporary } = createLodging(provider);
  const launch = join(folder, "launch.json");
  const command = [process.execPath, recorder, launch, codex, "app-server"];
  const config = toConfig(
    { backends: { codex: { kind: "codex", command, home } } },
    { ...parts, environment: {}, directory: temporary, listen: { host: "127.0.0.1", port: 0 } },
  );
  const server = await startServer(config);
  await untilReady(server.url);
  return { started: { url: server.url, folder, launch }, close: () => server.close() };
});
