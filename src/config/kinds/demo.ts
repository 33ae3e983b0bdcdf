import { formatDuration } from "../duration.ts";
import { duration } from "../values.ts";
import { defineKind } from "./kind.ts";

export interface DemoSettings {
  kind: "demo";
  /** Milliseconds between two pieces of an answer. */
  pace: number;
}

const keys = { pace: duration({ least: 0 }).optional() };

const native = "native";

/** The built-in demo model. It makes native calls, or calls as text in the dialect that is the model's name. */
export const demo = defineKind({
  name: "demo",
  keys,
  overrides: keys,
  resolve: ({ pace = 15 }): DemoSettings => ({ kind: "demo", pace }),
  override: (own: DemoSettings, { pace }) => ({ kind: "demo", pace: pace ?? own.pace }),
  secretKeys: [],
  secrets: () => [],
  service: () => [],
  describe: ({ pace }) => [`built in, ${formatDuration(pace)} a piece`],
  fixedModels: {
    main: native,
    variants: (dialects) => dialects,
    dialectOf: (model, dialects) => dialects.find((dialect) => dialect === model),
    expected: "native, or a dialect",
    variantsInWords: { name: "DIALECT", meaning: "the same, with calls written as text" },
  },
  ownName: { model: () => native, describe: (backend) => `${backend}/${native}` },
  find: () => ({ name: "demo", settings: {} }),
});
