import { describe, expect, it } from "vitest";
import { permits, readChoice } from "../../src/tools/index.ts";

const named = (name: string, namespace?: string) => ({ type: "function", name, ...(namespace && { namespace }) });
const allow = (...tools: object[]) => readChoice({ type: "allowed_tools", mode: "auto", tools } as never, "responses");

describe("a list of allowed tools", () => {
  it("lets through what it names, in any namespace unless it names one", () => {
    const choice = allow(named("read"), named("write", "files"), { type: "namespace", name: "web" });
    const may = (name: string, namespace?: string) => permits(choice, { kind: "function", name, namespace });
    expect([may("read"), may("read", "files"), may("write", "files"), may("find", "web")]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([may("write"), may("write", "web2"), may("find"), may("find", "files")]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(permits(choice, { kind: "custom", name: "read" })).toBe(false);
  });

  it("may be long: each look costs the same", () => {
    const took = (size: number) => {
      const choice = allow(...Array.from({ length: size }, (_, at) => named(`tool_${at}`)));
      permits(choice, { kind: "function", name: "none" });
      const started = performance.now();
      for (let at = 0; at < 2_000; at++) permits(choice, { kind: "function", name: "none" });
      return performance.now() - started;
    };
    const best = (size: number) => Math.min(took(size), took(size), took(size));
    expect(best(10_000)).toBeLessThan(20 * best(10) + 5);
  });
});
