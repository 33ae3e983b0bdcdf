import { createHash, randomBytes } from "node:crypto";
import { newId } from "../turn/index.ts";
import { readKeyOptions, type WrittenKey } from "./key-options.ts";
import { placeOf, withStore } from "./open-store.ts";
import { Refusal } from "./refusal.ts";

/** Prints the key alone on standard output, so that it can be piped. Only its hash is stored. */
export async function createKey({ config: file, ...written }: WrittenKey & { config?: string | undefined }) {
  const now = Date.now();
  const options = readKeyOptions(written, now);
  const { name } = options;
  return withStore(file, async ({ store, config }) => {
    if (config.keys.some((key) => key.name === name)) throw new Refusal(`the configuration has a key named ${name}`);
    const isFirst = config.keys.length === 0 && (await store.keys()).length === 0;
    const key = `tw_${randomBytes(32).toString("base64url")}`;
    const isNew = await store.addKey({
      ...options,
      id: newId("key"),
      hash: createHash("sha256").update(key).digest("hex"),
      createdAt: now,
      revokedAt: null,
    });
    if (!isNew) throw new Refusal(`there is a key named ${name} already; revoke it first, or choose another name`);
    process.stdout.write(`${key}\n`);
    process.stderr.write(
      `Created the key ${name} in ${placeOf(config)}. It is shown only now: Toolwire keeps its hash. Gateways of this store accept it within 3 s.\n`,
    );
    if (isFirst) {
      process.stderr.write(
        "It is the first key: from now on every request needs one. No key can read what was stored without a key.\n",
      );
    }
    return 0;
  });
}
