import { tmpdir } from "node:os";
import { toConfig } from "../../dist/config/index.js";
import { startServer } from "../../dist/http/server.js";
import { serve } from "./serve.mjs";

/** The real server, as it is built, with its defaults and one provider behind both kinds of backend. */
const [provider, level] = process.argv.slice(2);
const backend = (kind) => ({ kind, base_url: `${provider}/v1`, api_key: "provider-secret" });

const config = toConfig(
  { backends: { chat: backend("chat"), responses: backend("responses") }, ...(level && { log: { level } }) },
  {
    kinds: ["chat", "responses", "demo"],
    dialects: [],
    environment: {},
    directory: tmpdir(),
    listen: { host: "127.0.0.1", port: 0 },
  },
);

await serve(async () => ({ url: (await startServer(config)).url }));
