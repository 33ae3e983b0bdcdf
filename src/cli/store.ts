import { defineCommand } from "citty";

const config = {
  type: "string",
  valueHint: "FILE",
  description: "The configuration (toolwire.yaml, if it is there)",
} as const;

export const statsFlags = { json: { type: "boolean", description: "JSON instead of tables" }, config } as const;

export const exportFlags = {
  output: { type: "string", valueHint: "FILE", description: "Where to write it (standard output)" },
  config,
} as const;

export const importFlags = {
  file: { type: "positional", required: true, valueHint: "FILE", description: "What toolwire store export wrote" },
  config,
} as const;

export const vacuumFlags = { config } as const;

/** The commands are imported on demand, because the others do not need the store. */
export const storeCommands = {
  stats: defineCommand({
    meta: { name: "stats", description: "Show what the store holds, and what was used in the last 30 days" },
    args: statsFlags,
    run: async ({ args }) => (await import("./store-stats.ts")).showStats(args),
  }),
  export: defineCommand({
    meta: { name: "export", description: "Write everything in the store as NDJSON" },
    args: exportFlags,
    run: async ({ args }) => (await import("./store-export.ts")).exportStore(args),
  }),
  import: defineCommand({
    meta: { name: "import", description: "Add what another store has exported" },
    args: importFlags,
    run: async ({ args }) => (await import("./store-import.ts")).importStore(args),
  }),
  vacuum: defineCommand({
    meta: { name: "vacuum", description: "Give unused space back to the disk" },
    args: vacuumFlags,
    run: async ({ args }) => (await import("./store-stats.ts")).vacuumStore(args),
  }),
};

export const store = defineCommand({
  meta: { name: "store", description: "The store of conversations, answers and keys" },
  subCommands: storeCommands,
});
