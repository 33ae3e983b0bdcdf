import { setTimeout as sleep } from "node:timers/promises";
import { lastBelow, residentOf } from "../../codex/process-tree.mjs";

/** Codex unloads a thread a second after it was dropped. */
const rest = 2_500;

/** What there is of everything: at once after a batch, and when what the batch has left behind had time to go. */
export async function takeSample({ gateway, provider, taps }, requests) {
  const busyThreads = await taps.threads();
  await sleep(rest);
  const { temporary, home } = await gateway.ask("sizes");
  return {
    requests,
    busyThreads,
    threads: await taps.threads(),
    ...(await gateway.ask("counts")),
    ...(await provider.ask("counts")),
    codexRss: residentOf(codexPid(taps)),
    temporary,
    home,
  };
}

/** The tap starts a script, which starts the program. */
export function codexPid(taps) {
  return lastBelow(taps.pid()) ?? taps.pid();
}
