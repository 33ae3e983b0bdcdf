import { defineCommand } from "citty";

const config = {
  type: "string",
  valueHint: "FILE",
  description: "The configuration (toolwire.yaml, if it is there)",
} as const;

const name = { type: "positional", required: true, valueHint: "NAME", description: "The key's name" } as const;

export const createFlags = {
  name,
  models: {
    type: "string",
    valueHint: "NAME,…",
    description: "The models that it may use; gpt-* matches a prefix",
  },
  rate: { type: "string", valueHint: "N/TIME", description: "How many requests it may make, such as 60/1m" },
  expires: {
    type: "string",
    valueHint: "DATE|DURATION",
    description: "Its expiry date or lifetime: 2030-01-31 or 30d",
  },
  config,
} as const;

export const listFlags = {
  json: { type: "boolean", description: "JSON instead of a table" },
  config,
} as const;

export const revokeFlags = { name, config } as const;

/** The commands are imported on demand, because the others do not need the store. */
export const keyCommands = {
  create: defineCommand({
    meta: { name: "create", description: "Create a key for a client, and print it once" },
    args: createFlags,
    run: async ({ args }) => (await import("./key-create.ts")).createKey(args),
  }),
  list: defineCommand({
    meta: { name: "list", description: "Show the keys, and what they used in the last 30 days" },
    args: listFlags,
    run: async ({ args }) => (await import("./key-list.ts")).listKeys(args),
  }),
  revoke: defineCommand({
    meta: { name: "revoke", description: "Revoke a key; running gateways refuse it within 10 s" },
    args: revokeFlags,
    run: async ({ args }) => (await import("./key-revoke.ts")).revokeKey(args),
  }),
};

export const keys = defineCommand({
  meta: { name: "keys", description: "Keys of clients, kept in the store" },
  subCommands: keyCommands,
});
