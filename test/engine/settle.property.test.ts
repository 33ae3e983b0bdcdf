import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ItemEvent, orderItems, Settle } from "../../src/engine/settle/index.ts";
import { ArgumentChecks } from "../../src/tools/index.ts";
import { type BackendEvent, Ids, isTerminal, type RoundFinished, type TurnEvent } from "../../src/turn/index.ts";
import { slipsIn } from "./slips.ts";

/** What a client gets of a round, and how the round ended. */
function settle(events: readonly BackendEvent[], ending: RoundFinished) {
  const out: TurnEvent[] = [];
  let end = ending;
  const settled = new Settle({ ids: new Ids(), checks: new ArgumentChecks([]), listener: {} }, (event) =>
    out.push(event),
  );
  const order = orderItems({});
  for (const event of [...events, ending]) {
    order(event, (ordered) => {
      if (ordered.type === "round.finished") end = settled.finish(ordered);
      else if (!isAboutTheRound(ordered)) settled.push(ordered);
    });
  }
  return { out, end };
}

function isAboutTheRound(event: BackendEvent): event is Exclude<BackendEvent, ItemEvent> {
  return isTerminal(event) || event.type === "usage.reported";
}

const words = fc.string({ maxLength: 3 });
/** Often the same, and often not what a client could take. */
const someId = fc.constantFrom(undefined, "", "a", "msg_1", "rs_1", "fc_1", "no id", "functions.look:0");
const ending = fc.record({
  type: fc.constant("round.finished" as const),
  reason: fc.constantFrom("stop" as const, "length" as const, "content_filter" as const),
});

type Pieces = (number: number) => BackendEvent[];

const inMessage = fc.oneof(
  words.map(
    (said) =>
      (item?: number): BackendEvent => ({ type: "text.delta", text: said, item }),
  ),
  words.map(
    (said) =>
      (item?: number): BackendEvent => ({ type: "refusal.delta", text: said, item }),
  ),
  fc.constant((item?: number): BackendEvent => ({ type: "annotation.added", annotation: {}, item })),
);
const numberedMessage: fc.Arbitrary<Pieces> = fc
  .tuple(someId, fc.array(inMessage, { maxLength: 3 }), fc.boolean(), fc.array(inMessage, { maxLength: 1 }))
  .map(([id, inside, isDone, late]) => (item) => [
    { type: "message.started", id, item },
    ...inside.map((piece) => piece(item)),
    ...(isDone ? [{ type: "message.done", item } as const] : []),
    ...late.map((piece) => piece(item)),
  ]);
const numberedReasoning: fc.Arbitrary<Pieces> = fc
  .tuple(someId, fc.array(fc.tuple(words, fc.nat(1)), { maxLength: 3 }), fc.option(words, { nil: undefined }))
  .map(([id, thoughts, encrypted]) => (item) => [
    { type: "reasoning.started", id, item },
    ...thoughts.map(([text, part]) => ({ type: "reasoning.delta", text, part, item }) as const),
    { type: "reasoning.done", encrypted, item },
  ]);
const call: fc.Arbitrary<Pieces> = fc
  .record({
    callId: someId,
    id: someId,
    kind: fc.constantFrom("function" as const, "custom" as const, "search" as const),
    name: fc.constantFrom("look", "go"),
    dialect: fc.constantFrom(undefined, "hermes"),
    pieces: fc.array(fc.constantFrom("", " ", "{", "}", "{}", '"at": 1'), { maxLength: 3 }),
    isDone: fc.boolean(),
    late: fc.array(fc.constantFrom("late"), { maxLength: 1 }),
  })
  .map(({ pieces, isDone, late, ...names }) => (number) => [
    { type: "call.started", call: number, ...names },
    ...pieces.map((delta) => ({ type: "call.arguments", call: number, delta }) as const),
    { type: "call.repaired", call: number, repair: "comment" },
    ...(isDone ? [{ type: "call.done", call: number } as const] : []),
    ...late.map((delta) => ({ type: "call.arguments", call: number, delta }) as const),
  ]);
/** Pieces and ends of an item that was never begun. */
const stray: fc.Arbitrary<Pieces> = fc
  .constantFrom<BackendEvent>(
    { type: "call.arguments", call: 99, delta: "{}" },
    { type: "call.done", call: 99 },
    { type: "call.repaired", call: 99, repair: "comment" },
    { type: "text.delta", text: "stray", item: 98 },
    { type: "message.done", item: 98 },
    { type: "reasoning.delta", text: "stray", part: 0, item: 97 },
    { type: "reasoning.done", encrypted: "stray", item: 97 },
  )
  .map((event) => () => [event]);
/** What has no number, and belongs to whatever is open. */
const unnumbered: fc.Arbitrary<Pieces> = fc
  .oneof(
    inMessage.map((piece) => piece()),
    fc.record({ type: fc.constant("message.started" as const), id: someId }),
    fc.constant<BackendEvent>({ type: "message.done" }),
    fc.record({ type: fc.constant("reasoning.started" as const), id: someId }),
    words.map((text): BackendEvent => ({ type: "reasoning.delta", text, part: 0 })),
    fc.option(words, { nil: undefined }).map((encrypted): BackendEvent => ({ type: "reasoning.done", encrypted })),
    someId.map((id): BackendEvent => ({ type: "item.done", format: "responses", item: { id } })),
    fc.constant<BackendEvent>({ type: "message.extra", extensions: { format: "chat", fields: {} } }),
    fc.constant<BackendEvent>({ type: "call.repaired", repair: "finish_reason" }),
  )
  .map((event) => () => [event]);

/** Items of all kinds, mixed in any way in which each stays in order. */
const round = fc
  .tuple(
    fc.array(fc.oneof(numberedMessage, numberedReasoning, call, call, unnumbered, unnumbered, stray), { maxLength: 7 }),
    fc.array(fc.nat(6), { minLength: 1, maxLength: 40 }),
  )
  .map(([items, choices]) =>
    mix(
      items.map((pieces, number) => pieces(number)),
      choices,
    ),
  );

function mix<T>(lanes: readonly (readonly T[])[], choices: readonly number[]): T[] {
  const rest = lanes.map((lane) => [...lane]);
  const mixed: T[] = [];
  for (let step = 0; ; step++) {
    const open = rest.filter((lane) => lane.length > 0);
    const lane = open[(choices[step % choices.length] ?? 0) % open.length];
    const next = lane?.shift();
    if (next === undefined) return mixed;
    mixed.push(next);
  }
}

describe("whatever a backend says, in whatever order", () => {
  it("its client gets one item after the other, each begun before it grows or ends, with ids that are new", () => {
    fc.assert(
      fc.property(round, ending, (events, last) => {
        expect(slipsIn(settle(events, last).out)).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  it("the round ends by itself only where no call was cut", () => {
    fc.assert(
      fc.property(round, ending, (events, last) => {
        const { out, end } = settle(events, last);
        const begun = out.filter(({ type }) => type === "call.started").length;
        const done = out.filter(({ type }) => type === "call.done").length;
        if (begun > done) expect(end.reason).not.toBe("stop");
        if (last.reason !== "stop") expect(end).toBe(last);
      }),
    );
  });

  it("a call's pieces make its arguments", () => {
    fc.assert(
      fc.property(round, ending, (events, last) => {
        let pieces = "";
        for (const event of settle(events, last).out) {
          if (event.type === "call.started") pieces = "";
          if (event.type === "call.arguments") pieces += event.delta;
          if (event.type === "call.done") expect(event.arguments).toBe(pieces);
        }
      }),
    );
  });
});
