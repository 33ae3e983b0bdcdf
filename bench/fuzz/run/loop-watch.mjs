/**
 * Loaded into the gateway before anything else (`node --import`). It tells how long the event loop was held, by a timer that should come
 * every 5 ms, and how much CPU the process used in that time: on a busy machine a timer is late for other reasons too, but then without
 * CPU. It answers over the channel to the process that started the gateway.
 */
const every = 5;
/** How often the resident memory is read, in ticks: that takes longer than the rest. */
const memoryEvery = 4;

let longest = none();
let lastAt = performance.now();
let lastCpu = process.cpuUsage();
let ticks = 0;

function none() {
  return { held: 0, late: 0, rss: 0 };
}

setInterval(() => {
  const now = performance.now();
  const { user, system } = process.cpuUsage(lastCpu);
  const late = now - lastAt - every;
  const held = Math.min(late, (user + system) / 1_000);
  lastAt = now;
  lastCpu = process.cpuUsage();
  longest.late = Math.max(longest.late, late);
  longest.held = Math.max(longest.held, held);
  if (ticks++ % memoryEvery === 0 || late > every) longest.rss = Math.max(longest.rss, process.memoryUsage.rss());
}, every).unref();

process.on("message", ({ id, ask }) => {
  const answer = ask === "memory" ? memory() : takeLongest();
  process.send?.({ id, answer });
});
// Without the process that started it, nobody would end it.
process.on("disconnect", () => process.exit());
// It would keep the process running after its server was closed.
process.channel?.unref();

function takeLongest() {
  const taken = longest;
  longest = none();
  return taken;
}

function memory() {
  globalThis.gc?.();
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
  // The collection is this watch's own doing.
  lastAt = performance.now();
  lastCpu = process.cpuUsage();
  return { rss, heapUsed, external, arrayBuffers };
}
