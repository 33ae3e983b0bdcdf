import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((file) => join("test", file))
  .filter((file) => file.endsWith(".test.ts") && !file.startsWith(join("test", "e2e")));
/** Files that replace timers, modules or functions of the platform: a module that was loaded meanwhile would keep the replacement. */
const replaces = /vi\.useFakeTimers|vi\.mock\(|spyOn\((?:globalThis|Math|process)/;
const alone = files.filter((file) => replaces.test(readFileSync(file, "utf8")));

// Many tests wait for others: by default one core would be left for nothing.
const shared = { testTimeout: 15_000, maxWorkers: "100%" } as const;

export default defineConfig({
  test: {
    ...shared,
    projects: [
      // Loading the sources takes longer than most tests, so the files of a worker share them.
      { test: { ...shared, name: "shared", isolate: false, include: files.filter((file) => !alone.includes(file)) } },
      { test: { ...shared, name: "alone", include: alone } },
    ],
  },
});
