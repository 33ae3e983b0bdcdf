import { statSync } from "node:fs";
import { storeFile } from "../config/index.ts";
import type { StoreStats, UsageRow } from "../store/store.ts";
import { type OpenStore, placeOf, refuseAbsent, withStore } from "./open-store.ts";
import { inWords, recentUsage, type Used, usedAsJson } from "./recent-usage.ts";
import { align, heading } from "./table.ts";

/** What one key used of one model. */
interface ModelUse extends Used {
  key: string;
  model: string;
}

export async function showStats({
  json = false,
  config: file,
}: {
  json?: boolean | undefined;
  config?: string | undefined;
}) {
  return withStore(
    file,
    async ({ store, config }) => {
      const stats = await store.stats();
      const uses = modelUses(await store.usage(), Date.now());
      process.stdout.write(json ? asJson(stats, placeOf(config), uses) : asTables(stats, placeOf(config), uses));
      return 0;
    },
    refuseAbsent,
  );
}

export async function vacuumStore({ config: file }: { config?: string | undefined }) {
  return withStore(
    file,
    async (opened) => {
      const before = await bytesOnDisk(opened);
      await opened.store.vacuum();
      const after = await bytesOnDisk(opened);
      const freed = inSize(Math.max(0, before - after));
      process.stdout.write(`Vacuumed the store: ${freed} were given back, and it now has ${inSize(after)}.\n`);
      return 0;
    },
    refuseAbsent,
  );
}

/** What the store counts as its size leaves out the space that a file of SQLite does not use. */
async function bytesOnDisk({ store, config }: OpenStore): Promise<number> {
  const file = storeFile(config.store.url);
  return file === undefined ? (await store.stats()).bytes : statSync(file).size;
}

/** The most used first. */
function modelUses(rows: readonly UsageRow[], now: number): ModelUse[] {
  const names = new Map<string, Pick<UsageRow, "key" | "model">>();
  const sums = recentUsage(
    rows,
    ({ key, model }) => {
      const group = JSON.stringify([key, model]);
      names.set(group, { key, model });
      return group;
    },
    now,
  );
  const uses = [...sums].map(([group, sum]) => ({ ...(names.get(group) ?? { key: "", model: "" }), ...sum }));
  return uses.toSorted((a, b) => b.requests - a.requests);
}

function asTables(
  { kind, version, bytes, oldest, rows }: StoreStats,
  place: string,
  uses: readonly ModelUse[],
): string {
  const facts = [
    ["kind", kind],
    ["place", place],
    ["schema", String(version)],
    ["size", inSize(bytes)],
    ["oldest", oldest === null ? "nothing is kept yet" : new Date(oldest).toISOString()],
  ];
  const tables = Object.entries(rows).map(([table, count]) => [table, inWords(count)]);
  const titles = ["key", "model", "requests", "input tokens", "of them cached", "output tokens"];
  const used = uses.map((use) => [
    use.key === "" ? "(no key)" : use.key,
    use.model,
    ...[use.requests, use.inputTokens, use.cachedTokens, use.outputTokens].map(inWords),
  ]);
  const usage = used.length === 0 ? "  none\n" : align([titles, ...used]);
  return `${heading("store")}\n${align(facts)}\n${heading("rows")}\n${align(tables)}\n${heading("usage of the last 30 days")}\n${usage}`;
}

function asJson({ kind, version, bytes, oldest, rows }: StoreStats, place: string, uses: readonly ModelUse[]): string {
  const last_30_days = uses.map(({ key, model, ...use }) => ({ key, model, ...usedAsJson(use) }));
  const oldest_at = oldest === null ? null : new Date(oldest).toISOString();
  return `${JSON.stringify({ kind, place, schema: version, bytes, oldest_at, rows, last_30_days }, null, 2)}\n`;
}

const units = ["bytes", "KB", "MB", "GB", "TB"];

/** For example `1.4 MB`. */
function inSize(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const amount = bytes / 1_024 ** power;
  return `${power === 0 ? amount : amount.toFixed(1)} ${units[power]}`;
}
