import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/e2e/**"],
    testTimeout: 15_000,
    // Many tests wait for programs and timers, so there is one worker more than there are cores.
    maxWorkers: availableParallelism() + 1,
  },
});
