import type { Environment } from "../environment.ts";
import { named, text, value } from "../values.ts";
import { defineKind, type FoundBackend } from "./kind.ts";

/** The settings of a provider on the network. */
export interface HttpSettings<Name extends string> {
  kind: Name;
  /** Without a trailing slash. */
  base_url: string;
  api_key?: string;
  headers: Record<string, string>;
}

/** Headers that Undici refuses or sets itself. */
const connectionHeaders = new Set(
  "connection content-length expect host keep-alive te trailer transfer-encoding upgrade".split(" "),
);

const header = text("a text without line breaks", /^[\t\x20-\x7e\x80-\xff]*$/);
const headerName = new RegExp(`^(?!(?:${[...connectionHeaders].join("|")})$)[!#$%&'*+.^_\`|~0-9a-z-]+$`, "i");

const keys = {
  base_url: value("an address such as https://api.example.com/v1, without a user, ? or #", readBaseUrl),
  api_key: text("a key: visible ASCII characters without spaces", /^[!-~]+$/).nullish(),
  headers: named("the name of a header that is not the connection's own (host, content-length, …)", headerName, header),
};

/** Headers with secret values. Others, such as `x-region`, may be logged. */
const secretHeader = /auth|key|token|secret|cookie/i;

/** Defines a kind of backend for providers on the network, for any API. */
export function defineHttpKind<const Name extends string>(
  name: Name,
  find: (environment: Environment) => FoundBackend | undefined = () => undefined,
) {
  return defineKind({
    name,
    keys,
    overrides: { base_url: keys.base_url.optional(), api_key: keys.api_key, headers: keys.headers.optional() },
    resolve: ({ base_url, api_key, headers }): HttpSettings<Name> => ({
      kind: name,
      base_url,
      ...(api_key && { api_key }),
      headers,
    }),
    override: (own: HttpSettings<Name>, written) => {
      const api_key = written.api_key ?? own.api_key;
      return {
        kind: name,
        base_url: written.base_url ?? own.base_url,
        ...(api_key && { api_key }),
        headers: { ...own.headers, ...written.headers },
      };
    },
    secretKeys: ["api_key", "headers"],
    secrets: ({ api_key, headers }) => [
      ...(api_key ? [api_key] : []),
      ...Object.entries(headers).flatMap(([header, value]) => (secretHeader.test(header) ? [value] : [])),
    ],
    service: ({ base_url, api_key }) => [base_url, api_key],
    describe: ({ base_url, api_key, headers }) => {
      const masked = Object.keys(headers).map((header) => `${header} ********`);
      return [base_url, [api_key ? "key ********" : "no key", ...masked].join(", ")];
    },
    find,
  });
}

function readBaseUrl(input: unknown): string | undefined {
  if (typeof input !== "string" || !URL.canParse(input)) return undefined;
  const { protocol, username, password } = new URL(input);
  const usable = /^https?:$/.test(protocol) && username === "" && password === "" && !/[?#\s]/.test(input);
  return usable ? withoutSlashes(input) : undefined;
}

function withoutSlashes(url: string): string {
  let end = url.length;
  while (url.endsWith("/", end)) end--;
  return url.slice(0, end);
}
