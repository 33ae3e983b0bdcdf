import { aligned } from "../../measure/table.mjs";

const megabytes = (bytes) => (bytes / 1024 / 1024).toFixed(1);

const columns = [
  ["requests", ({ requests }) => String(requests)],
  ["heap MB", ({ heap }) => megabytes(heap)],
  ["rss MB", ({ rss }) => megabytes(rss)],
  ["turns", ({ exchanges }) => String(exchanges)],
  ["timers", ({ timers }) => String(timers)],
  ["handles", ({ handles }) => String(handles)],
  ["codex rss MB", ({ codexRss }) => megabytes(codexRss)],
  ["threads at once", ({ busyThreads }) => String(busyThreads)],
  ["threads", ({ threads }) => String(threads)],
  ["answers open", ({ open }) => String(open)],
  ["sockets", ({ sockets }) => String(sockets)],
  ["temporary MB", ({ temporary }) => megabytes(temporary)],
  ["home MB", ({ home }) => megabytes(home)],
];

export function table(samples) {
  return aligned([
    columns.map(([title]) => title),
    ...samples.map((sample) => columns.map(([, read]) => read(sample))),
  ]);
}
