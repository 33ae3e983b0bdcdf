import { type Config, kindOf, storeSecrets } from "../config/index.ts";

/** Everything in a configuration that must never be shown. */
export function secretsOf(config: Config): string[] {
  const secrets = [...config.keys.flatMap(({ key }) => key ?? []), ...storeSecrets(config.store.url)];
  const models = Object.values(config.models).map(({ settings }) => settings);
  for (const backend of [...Object.values(config.backends), ...models]) {
    secrets.push(...kindOf(backend).secrets(backend));
  }
  return secrets;
}
