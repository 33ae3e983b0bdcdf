import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { LoopDelay } from "./loop-delay.mjs";
import { serve } from "./serve.mjs";

/**
 * The real server, as it is built in the folder `dist`, with its defaults and one provider behind both kinds of backend. The build may
 * be another checkout's, so only what every build has is used of it.
 */
const [provider, level, dist, store = "memory:"] = process.argv.slice(2);
const built = (file) => import(pathToFileURL(join(dist, file)).href);
const { createConfig } = await built("gateway/index.js");
const { startServer } = await built("http/server.js");

const backend = (kind) => ({ kind, base_url: `${provider}/v1`, api_key: "provider-secret" });
const config = createConfig(
  {
    listen: { host: "127.0.0.1", port: 0 },
    backends: { chat: backend("chat"), responses: backend("responses") },
    store: { url: store },
    ...(level && { log: { level } }),
  },
  { directory: tmpdir() },
);

const delay = new LoopDelay();

/** The gateway deletes what is old once an hour; this does the same, now and again and again, on the same store. */
async function retain({ keep }) {
  let isRetained = false;
  const { SqlStore } = await built("store/sql-store.js");
  const { Retention } = await built("store/retention.js");
  const { keep: original } = SqlStore.prototype;
  SqlStore.prototype.keep = function (turn) {
    if (!isRetained) new Retention(this, { keep, log: { warn() {} }, firstAfter: 0, interval: 50 });
    isRetained = true;
    return original.call(this, turn);
  };
}

await serve(async () => ({ url: (await startServer(config)).url }), {
  beginDelay: () => delay.begin(),
  endDelay: () => delay.end(),
  retain,
});
