import { didYouMean } from "../config/index.ts";
import { type OpenStore, withStore } from "./open-store.ts";
import { Refusal } from "./refusal.ts";

export async function revokeKey({ name, config: file }: { name: string; config?: string | undefined }) {
  return withStore(
    file,
    async ({ store, config }) => {
      if (!(await store.revokeKey(name, Date.now()))) throw await unknown(name, { store, config });
      process.stdout.write(`Revoked the key ${name}. Running gateways refuse it within 10 s.\n`);
      return 0;
    },
    () => {
      throw new Refusal(`there is no key named ${name}`);
    },
  );
}

async function unknown(name: string, { store, config }: OpenStore): Promise<Refusal> {
  if (config.keys.some((key) => key.name === name))
    return new Refusal(`the key ${name} is in the configuration; remove it there, and restart the gateway`);
  const keys = await store.keys();
  if (keys.some((key) => key.name === name)) return new Refusal(`the key ${name} is revoked already`);
  const names = keys.filter(({ revokedAt }) => revokedAt === null).map((key) => key.name);
  return new Refusal(`there is no key named ${name}${didYouMean(name, names)}`);
}
