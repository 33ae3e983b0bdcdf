import type { Config } from "../config/index.ts";

/** Everything in a configuration that must never be shown. */
export function secretsOf(config: Config): string[] {
  const secrets = config.keys.flatMap(({ key }) => key ?? []);
  const models = Object.values(config.models).map(({ settings }) => settings);
  for (const backend of [...Object.values(config.backends), ...models]) {
    if (!("headers" in backend)) continue;
    if (backend.api_key) secrets.push(backend.api_key);
    for (const [name, value] of Object.entries(backend.headers)) if (secretHeader.test(name)) secrets.push(value);
  }
  return secrets;
}

/** A header such as `x-region` has a value that may stand in any log. */
const secretHeader = /auth|key|token|secret|cookie/i;
