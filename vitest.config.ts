import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/e2e/**"],
    testTimeout: 15_000,
    // Many tests wait for others: by default one core would be left for nothing.
    maxWorkers: "100%",
  },
});
