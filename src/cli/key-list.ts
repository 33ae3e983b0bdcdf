import { type Config, formatDuration } from "../config/index.ts";
import { knownKey } from "../guard/index.ts";
import type { StoredKey, UsageRow } from "../store/store.ts";
import { withStore } from "./open-store.ts";
import { inWords, recentUsage, type Used, usedAsJson } from "./recent-usage.ts";
import { align, heading } from "./table.ts";

/** A key of the store or of the configuration. */
interface ListedKey extends Omit<StoredKey, "id" | "hash" | "createdAt"> {
  owner: string;
  source: "store" | "file";
  createdAt: number | null;
}

type KeyState = "active" | "expired" | "revoked";

export async function listKeys({
  json = false,
  config: file,
}: {
  json?: boolean | undefined;
  config?: string | undefined;
}) {
  const print = (config: Config, stored: readonly StoredKey[], usage: readonly UsageRow[]) => {
    const now = Date.now();
    const keys = [...config.keys.map(ofFile), ...stored.map(ofStore)];
    const used = recentUsage(usage, ({ owner }) => owner, now);
    process.stdout.write(json ? asJson(keys, used, now) : asTable(keys, used, now));
    return 0;
  };
  return withStore(
    file,
    async ({ store, config }) => print(config, await store.keys(), await store.usage()),
    (config) => print(config, [], []),
  );
}

function ofFile(written: Config["keys"][number]): ListedKey {
  const { key, expires } = knownKey(written);
  return {
    owner: key.owner,
    source: "file",
    name: key.name,
    models: key.models,
    rate: key.rate ?? null,
    expiresAt: Number.isFinite(expires) ? expires : null,
    createdAt: null,
    revokedAt: null,
  };
}

function ofStore({ id, hash: _, ...key }: StoredKey): ListedKey {
  return { ...key, owner: id, source: "store" };
}

function stateOf({ revokedAt, expiresAt }: ListedKey, now: number): KeyState {
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= now ? "expired" : "active";
}

const unused: Used = { requests: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

function asTable(keys: readonly ListedKey[], used: ReadonlyMap<string, Used>, now: number): string {
  if (keys.length === 0) return "There are no keys. toolwire keys create NAME creates one.\n";
  const titles = ["name", "models", "rate", "created", "expires", "state", "requests in 30 days", "tokens in 30 days"];
  const rows = keys.map((key) => {
    const { requests, inputTokens, outputTokens } = used.get(key.owner) ?? unused;
    return [
      key.name,
      key.models?.join(",") ?? "all",
      key.rate ? `${key.rate.requests}/${formatDuration(key.rate.per)}` : "default",
      key.source === "file" ? "in the file" : day(key.createdAt),
      key.expiresAt === null ? "never" : day(key.expiresAt),
      key.revokedAt === null ? stateOf(key, now) : `revoked ${day(key.revokedAt)}`,
      inWords(requests),
      inWords(inputTokens + outputTokens),
    ];
  });
  return `${heading("keys")}\n${align([titles, ...rows])}`;
}

function asJson(keys: readonly ListedKey[], used: ReadonlyMap<string, Used>, now: number): string {
  const listed = keys.map((key) => ({
    name: key.name,
    source: key.source,
    models: key.models,
    rate: key.rate ? { requests: key.rate.requests, per: formatDuration(key.rate.per) } : null,
    created_at: time(key.createdAt),
    expires_at: time(key.expiresAt),
    revoked_at: time(key.revokedAt),
    state: stateOf(key, now),
    last_30_days: usedAsJson(used.get(key.owner) ?? unused),
  }));
  return `${JSON.stringify(listed, null, 2)}\n`;
}

function day(at: number | null): string {
  return time(at)?.slice(0, 10) ?? "";
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
