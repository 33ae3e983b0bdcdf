import { describe, expect, it } from "vitest";
import { type ItemEvent, orderItems, Settle } from "../../src/engine/settle/index.ts";
import { ArgumentChecks } from "../../src/tools/index.ts";
import { Ids, type TurnEvent } from "../../src/turn/index.ts";
import { finished, started, text, typesOf, wholeCall } from "./events.ts";
import { slipsIn } from "./slips.ts";

/** What the client has of a round before its end, and when it is over. */
function settle(events: readonly ItemEvent[]) {
  const out: TurnEvent[] = [];
  const settled = new Settle({ ids: new Ids(), checks: new ArgumentChecks([]), listener: {} }, (event) =>
    out.push(event),
  );
  const order = orderItems({});
  const push = (event: ItemEvent | typeof finished) =>
    order(event, (ordered) => {
      if (ordered.type === "round.finished") settled.finish(ordered);
      else if (ordered.type !== "round.failed") settled.push(ordered as ItemEvent);
    });
  for (const event of events) push(event);
  const before = [...out];
  push(finished);
  return { before, out };
}

/**
 * A piece of an item that is done, or was never begun, is dropped while nothing is open. While another item is open it waits as if it
 * were the beginning of an item, and is given when its turn comes.
 */
describe("a piece that belongs to no item that is open or waits", () => {
  const annotation: ItemEvent = { type: "annotation.added", annotation: { type: "url_citation" }, item: 0 };
  const said: ItemEvent[] = [{ type: "message.started", item: 0 }, text("Here.", 0), { type: "message.done", item: 0 }];

  it("is dropped, also while another item is open: it begins no message of its own", () => {
    const { out } = settle([...said, started(1), annotation, ...wholeCall(1, "{}").slice(1)]);
    expect(typesOf(out)).toEqual([
      ...["message.started", "text.delta", "message.done"],
      ...["call.started", "call.arguments", "call.done"],
    ]);
  });

  it("does not hold up what follows it until the end of the round", () => {
    const { before } = settle([...said, started(1), annotation, ...wholeCall(1, "{}").slice(1), ...wholeCall(2, "{}")]);
    expect(before.filter(({ type }) => type === "call.done")).toHaveLength(2);
  });

  it("is not given as a piece of a call where no call is open", () => {
    const late: ItemEvent = { type: "call.arguments", call: 1, delta: "late" };
    const { out } = settle([started(0), ...wholeCall(1, "{}"), late, { type: "call.done", call: 0 }]);
    expect(slipsIn(out)).toEqual([]);
  });

  it("is not given as a piece of a call where a message is open", () => {
    const unknown: ItemEvent = { type: "call.arguments", call: 7, delta: "{}" };
    expect(slipsIn(settle([{ type: "message.started", item: 0 }, unknown]).out)).toEqual([]);
  });
});

describe("what has no number", () => {
  it("goes on behind reasoning that ended while a call was open", () => {
    const reasoning: ItemEvent[] = [{ type: "reasoning.delta", text: "Hm.", part: 0 }, { type: "reasoning.done" }];
    const { out } = settle([started(0), ...reasoning, text("So."), ...wholeCall(0, "{}").slice(1)]);
    expect(out.filter(({ type }) => type === "text.delta")).toEqual([{ type: "text.delta", text: "So." }]);
  });
});
