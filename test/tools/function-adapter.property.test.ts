import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FunctionAdapter } from "../../src/tools/index.ts";
import type { CallItem, CallKind, JsonObject, Turn } from "../../src/turn/index.ts";
import { custom, functionsOnly, legalName, namespace, plain, search, turnOf } from "./function-adapters.ts";

/** Names that look alike once they are made legal, that are long, or that mean something to JavaScript. */
function hostileName(): fc.Arbitrary<string> {
  const crumbs = fc.constantFrom(
    "a",
    "b",
    "_",
    "__",
    ".",
    "-",
    " ",
    "\n",
    "é",
    "😀",
    "\ud83d",
    "functions",
    "tool_search",
  );
  return fc.oneof(
    fc.array(crumbs, { minLength: 1, maxLength: 4 }).map((list) => list.join("")),
    fc.constantFrom("__proto__", "constructor", "toString", "functions", "tool_search", "input"),
    fc.tuple(fc.constantFrom("x".repeat(60), "y".repeat(64), "é".repeat(90)), fc.nat(9)).map((pair) => pair.join("")),
    fc.string({ unit: "binary", minLength: 1, maxLength: 80 }),
  );
}

function anyTools(): fc.Arbitrary<JsonObject[]> {
  const leaf = fc.oneof(
    hostileName().map((name) => plain(name)),
    hostileName().map((name) => custom(name)),
  );
  const inside = fc.array(leaf, { maxLength: 3 });
  const tool = fc.oneof(
    leaf,
    fc.tuple(hostileName(), inside).map(([name, tools]) => namespace(name, tools)),
    fc.constant(search),
  );
  return fc.array(tool, { maxLength: 8 });
}

interface Identity {
  kind: CallKind;
  name: string;
  namespace: string | undefined;
}

/** Every tool that a client could call, once. */
function identitiesOf({ tools }: Turn): Identity[] {
  const all = tools.flatMap((tool): Identity[] => {
    if (tool.type !== "hosted") return [{ kind: tool.type, name: tool.name, namespace: undefined }];
    if (tool.definition.type === "tool_search") return [{ kind: "search", name: "tool_search", namespace: undefined }];
    return (tool.definition.tools as JsonObject[]).map((inner) => ({
      kind: inner.type as CallKind,
      name: String(inner.name),
      namespace: String(tool.definition.name),
    }));
  });
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

const isKept = ({ kind, namespace }: Identity) => kind === "function" && namespace === undefined;

function callOf({ kind, name, namespace }: Identity, at: number): CallItem {
  return { type: "call", kind, name, namespace, callId: `call_${at}`, arguments: "{}" };
}

describe("any tools", () => {
  it("have names as functions that are legal, and each for one tool", () => {
    fc.assert(
      fc.property(anyTools(), (tools) => {
        const turn = turnOf({ tools });
        const form = new FunctionAdapter(turn, functionsOnly);
        const names = form.turn.tools.flatMap((tool) => (tool.type === "hosted" ? [] : [tool.name]));
        const own = new Set(turn.tools.flatMap((tool) => (tool.type === "function" ? [tool.name] : [])));
        const given = names.filter((name) => !own.has(name));
        for (const name of given) expect(name).toMatch(legalName);
        expect(new Set(given).size).toBe(given.length);
        expect(given).toHaveLength(identitiesOf(turn).filter((tool) => !isKept(tool)).length);
      }),
      { numRuns: 500 },
    );
  });

  it("are known again by those names, exactly", () => {
    fc.assert(
      fc.property(anyTools(), (tools) => {
        const turn = turnOf({ tools });
        const form = new FunctionAdapter(turn, functionsOnly);
        const restored = form.turn.tools.flatMap((tool) => {
          const original = tool.type === "hosted" ? undefined : form.original(tool.name);
          return original ? [{ kind: original.kind, name: original.name, namespace: original.namespace }] : [];
        });
        const wanted = identitiesOf(turn).filter((tool) => !isKept(tool));
        expect(restored.map((each) => JSON.stringify(each)).sort()).toEqual(
          wanted.map((each) => JSON.stringify(each)).sort(),
        );
      }),
      { numRuns: 500 },
    );
  });

  it("are told in the history under the names that are offered, in every turn", () => {
    fc.assert(
      fc.property(anyTools(), (tools) => {
        const turn = turnOf({ tools });
        const identities = identitiesOf(turn);
        const followed = { ...turn, input: identities.map(callOf) };
        const form = new FunctionAdapter(followed, functionsOnly);
        const offered = new FunctionAdapter(turn, functionsOnly).turn.tools.flatMap((tool) =>
          tool.type === "hosted" ? [] : [tool.name],
        );
        const told = form.history(followed.input).flatMap((item) => (item.type === "call" ? [item] : []));
        expect(told).toHaveLength(identities.length);
        told.forEach((call, at) => {
          const { kind, name, namespace } = identities[at] as Identity;
          expect(call).toMatchObject({ kind: "function", namespace: undefined, callId: `call_${at}` });
          expect(offered).toContain(call.name);
          const original = form.original(call.name) ?? { kind: "function", name: call.name, namespace: undefined };
          expect(original).toMatchObject({ kind, name });
          expect(original.namespace).toBe(namespace);
        });
      }),
      { numRuns: 500 },
    );
  });
});
