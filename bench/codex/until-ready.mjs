import { setTimeout as sleep } from "node:timers/promises";

const limit = 45_000;

/** Codex starts behind a gateway that already listens. */
export async function untilReady(url) {
  for (const began = performance.now(); ; await sleep(200)) {
    const response = await fetch(`${url}/ready`);
    const said = await response.text();
    if (response.ok) return;
    if (performance.now() - began > limit) throw new Error(`the gateway is not ready: ${said}`);
  }
}
