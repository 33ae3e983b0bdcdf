import type { TurnEvent } from "../../src/turn/index.ts";

/**
 * What a client could stumble over in the events of one answer: items that overlap, pieces and ends of items that are not open, ids
 * that are missing or come twice, and items that are left open. A call may be left open at the end: it was cut.
 */
export function slipsIn(events: readonly TurnEvent[]): string[] {
  const slips: string[] = [];
  const ids = new Set<string>();
  let open: "message" | "reasoning" | "call" | undefined;

  const claim = (id: unknown, type: string) => {
    if (typeof id !== "string" || id === "") slips.push(`${type} has no id`);
    else if (ids.has(id)) slips.push(`${type} has the id ${id} again`);
    else ids.add(id);
  };
  const start = (item: typeof open, type: string) => {
    if (open) slips.push(`${type} while a ${open} is open`);
    open = item;
  };
  const need = (item: typeof open, type: string) => {
    if (open !== item) slips.push(`${type} while ${open ?? "nothing"} is open`);
  };

  for (const event of events) {
    const { type } = event;
    switch (type) {
      case "message.started":
        start("message", type);
        claim(event.id, type);
        break;
      case "reasoning.started":
        start("reasoning", type);
        claim(event.id, type);
        break;
      case "call.started":
        start("call", type);
        claim(event.id, type);
        if (event.callId !== event.id) claim(event.callId, type);
        break;
      case "text.delta":
      case "refusal.delta":
      case "annotation.added":
        need("message", type);
        break;
      case "reasoning.delta":
        need("reasoning", type);
        break;
      case "call.arguments":
        need("call", type);
        break;
      case "message.done":
      case "reasoning.done":
      case "call.done":
        need(type === "message.done" ? "message" : type === "reasoning.done" ? "reasoning" : "call", type);
        open = undefined;
        break;
      case "item.done":
        start(undefined, type);
        claim(event.id, type);
        break;
      case "output.done":
        start(undefined, type);
        break;
      case "message.extra":
        break;
    }
  }
  if (open && open !== "call") slips.push(`the ${open} is never done`);
  return slips;
}
