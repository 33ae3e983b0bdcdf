import type { Reporter, TestModule, Vitest } from "vitest/node";
import { type Result, rewriteTable, tableOf, writtenTable } from "./table.ts";

/**
 * Prints which client works on which pair, as this run found it, and holds docs/clients.md to it. `UPDATE=1` writes the page's
 * table anew.
 */
export class TableReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): Promise<void> {
    const results = resultsOf(modules);
    if (results.length === 0) return;
    const table = tableOf(results);
    this.#say(table);
    // A run of a part, or one that failed anyway, says nothing about the page.
    if (errors.length > 0 || !modules.every((module) => module.ok()) || !(await this.#isWhole(modules))) return;
    if (process.env.UPDATE === "1") rewriteTable(table);
    else if (table !== writtenTable()) {
      this.#say("The table in docs/clients.md is another one. UPDATE=1 npm run test:e2e writes it anew.");
      process.exitCode = 1;
    }
  }

  async #isWhole(modules: readonly TestModule[]): Promise<boolean> {
    if (!this.#vitest || this.#vitest.config.testNamePattern) return false;
    return modules.length === (await this.#vitest.globTestSpecifications()).length;
  }

  #say(text: string): void {
    this.#vitest?.logger.log(`\n${text}\n`);
  }
}

function resultsOf(modules: readonly TestModule[]): Result[] {
  const files = modules.slice().sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
  const tests = files.flatMap((module) => [...module.children.allTests()]);
  const results = tests.flatMap((test) => {
    const { cell } = test.meta();
    return cell ? [{ ...cell, passed: test.result().state === "passed" }] : [];
  });
  // Files are run in any order; the rows of a client are in the order of its files and tests.
  return results.sort((a, b) => (a.client < b.client ? -1 : a.client > b.client ? 1 : 0));
}
