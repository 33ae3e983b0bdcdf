import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { StoreWork } from "../store/work.mjs";
import { serve } from "./serve.mjs";

/** A process with nothing but a store of the build in the folder `dist`. */
const [dist, url] = process.argv.slice(2);
const { openStore } = await import(pathToFileURL(join(dist, "store/index.js")).href);
const log = { debug() {}, info() {}, warn: console.error, error: console.error };
const work = new StoreWork(await openStore({ url, keep: null, log }));

await serve(async () => ({}), {
  commits: (argument) => work.commits(argument),
  fill: (argument) => work.fill(argument),
  followUps: (argument) => work.followUps(argument),
  chain: (argument) => work.chain(argument),
});
