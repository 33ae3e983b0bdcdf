import { expect, it } from "vitest";
import { isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";
import { responsesCodec } from "../../src/wire/responses/index.ts";
import { hello, rome } from "./checked.ts";
import { framesOf, opaque, reasoning, type Scene } from "./encoders.ts";

const steps = [...reasoning("rs_1", [["Hm."]]), ...hello, opaque("ws_1", { type: "web_search_call" }), ...rome];
const itemIds = ["rs_1", "msg_1", "ws_1", "fc_1"];

function bordersOf(profile: Scene["profile"] & string): JsonObject[] {
  const borders = framesOf(responsesCodec, { steps, profile }).filter(({ event }) => event.includes("output_item."));
  return borders.map(({ json }) => parseJson(json)).filter(isObject);
}

it("`extended` names the item at the top of `output_item.added` and `output_item.done`", () => {
  const named = bordersOf("extended").map(({ type, item_id: id }) => [type, id]);
  expect(named).toEqual(
    itemIds.flatMap((id) => [
      ["response.output_item.added", id],
      ["response.output_item.done", id],
    ]),
  );
});

it("`openai` does not: neither OpenAI nor Open Responses has it there", () => {
  for (const event of bordersOf("openai")) expect(event).not.toHaveProperty("item_id");
});
