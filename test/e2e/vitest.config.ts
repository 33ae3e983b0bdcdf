import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { TableReporter } from "./support/table-reporter.ts";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  test: {
    include: ["**/*.test.ts"],
    exclude: ["node_modules/**"],
    testTimeout: 30_000,
    maxWorkers: "100%",
    reporters: ["default", new TableReporter()],
  },
});
