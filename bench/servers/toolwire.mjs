import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { serve } from "./serve.mjs";

/**
 * The real server, as it is built in the folder `dist`, with its defaults and one provider behind both kinds of backend. The build may
 * be another checkout's, so only what every build has is used of it.
 */
const [provider, level, dist] = process.argv.slice(2);
const built = (file) => import(pathToFileURL(join(dist, file)).href);
const { createConfig } = await built("gateway/index.js");
const { startServer } = await built("http/server.js");

const backend = (kind) => ({ kind, base_url: `${provider}/v1`, api_key: "provider-secret" });
const config = createConfig(
  {
    listen: { host: "127.0.0.1", port: 0 },
    backends: { chat: backend("chat"), responses: backend("responses") },
    ...(level && { log: { level } }),
  },
  { directory: tmpdir() },
);

await serve(async () => ({ url: (await startServer(config)).url }));
