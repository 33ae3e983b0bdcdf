import type { JsonObject, JsonValue } from "../../src/turn/index.ts";

/** An item of a Responses stream between `output_item.added` and `output_item.done`. */
export interface OpenItem {
  added: JsonObject;
  type: string;
  index: number;
  /** Parts that are done: of a message's content or a reasoning's summary. */
  parts: JsonObject[];
  part: OpenPart | null;
  arguments: string;
  argumentsDone: string | null;
  /** What the events of the extended profile said of the call. */
  extended: { begun: boolean; deltas: string; ended: boolean };
}

export interface OpenPart {
  type: string;
  text: string;
  annotations: JsonValue[];
  /** The event that ends the part's text has come. */
  finished: boolean;
}

export function openItem(added: JsonObject, index: number): OpenItem {
  return {
    added,
    type: String(added.type),
    index,
    parts: [],
    part: null,
    arguments: "",
    argumentsDone: null,
    extended: { begun: false, deltas: "", ended: false },
  };
}
