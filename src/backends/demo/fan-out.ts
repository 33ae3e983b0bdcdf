import type { CatalogEntry, Slot } from "./catalog.ts";
import { Evidence } from "./evidence.ts";
import { placesIn } from "./places.ts";
import { listsOf, type Question, type Span } from "./question.ts";

/**
 * "The weather in Paris and Rome" is one thing asked of a tool that knows one city: two calls. Gives, for each call, the
 * tokens that belong to the others.
 */
export function fanOut(question: Question, entry: CatalogEntry, span: Span): Set<number>[] {
  const evidence = new Evidence(question, span, entry.knownStems);
  for (const { slots, members } of [
    { slots: slotsOf(entry, "place"), members: () => placesIn(question, span, entry.knownStems).flat() },
    { slots: slotsOf(entry, "text"), members: () => tokensWhere(question, span, (token) => token.kind === "quote") },
    ...enumGroups(entry).map((slots) => ({ slots, members: () => namedIn(evidence, slots) })),
    {
      slots: slotsOf(entry, "number").filter((slot) => slot.required),
      members: () => tokensWhere(question, span, (token) => token.value !== undefined),
    },
  ]) {
    if (slots.length === 0 || slots.some((slot) => slot.isList)) continue;
    const each = slots.filter((slot) => slot.required).length || 1;
    const [kind] = slots.map((slot) => slot.kind);
    // "Add 2 and 3" and "from km to miles" fill two parameters of one call.
    if (each > 1 && (kind === "number" || kind === "enum")) continue;
    const list = longest(listsOf(question, members()));
    const calls = Math.floor(list.length / each);
    if (calls > 1) return shares(list, each, calls);
  }
  return [new Set()];
}

function slotsOf(entry: CatalogEntry, kind: Slot["kind"]): Slot[] {
  return entry.slots.filter((slot) => slot.kind === kind);
}

/** Parameters that choose from the same values belong together. */
function enumGroups(entry: CatalogEntry): Slot[][] {
  const groups = new Map<string, Slot[]>();
  for (const slot of slotsOf(entry, "enum")) {
    const key = slot.values.slice(0, 8).map(String).sort().join("\n");
    groups.set(key, [...(groups.get(key) ?? []), slot]);
  }
  return [...groups.values()];
}

function namedIn(evidence: Evidence, [slot]: readonly Slot[]): Span[] {
  const positions = new Set(evidence.namedValues(slot?.values ?? [], "own").map(({ at }) => at));
  return [...positions].map((start) => ({ start, end: start + 1 }));
}

function tokensWhere(question: Question, span: Span, wanted: (token: Question["tokens"][number]) => boolean): Span[] {
  const spans: Span[] = [];
  for (let start = span.start; start < span.end; start++) {
    const token = question.tokens[start];
    if (token && wanted(token)) spans.push({ start, end: start + 1 });
  }
  return spans;
}

function longest(lists: readonly Span[][]): Span[] {
  return lists.reduce((best, list) => (list.length > best.length ? list : best), []);
}

function shares(members: readonly Span[], each: number, calls: number): Set<number>[] {
  return Array.from({ length: calls }, (_, call) => {
    const others = new Set<number>();
    members.forEach((member, at) => {
      if (Math.floor(at / each) === call) return;
      for (let token = member.start; token < member.end; token++) others.add(token);
    });
    return others;
  });
}
