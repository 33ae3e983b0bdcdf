import { expect, it } from "vitest";
import { chatCodec } from "../../src/wire/chat/index.ts";
import { mostGrowth, timeGrowth } from "../support/time-growth.ts";
import { chatStream, chatWhole } from "./checked.ts";
import { annotation, framesOf, message, refusal, whole } from "./encoders.ts";

it("two messages are separated by a blank line in one piece too, where the second begins with an annotation and a refusal", () => {
  const cited = annotation({ type: "url_citation", url: "https://example.com/" });
  const steps = [...message("msg_1", ["One."]), ...message("msg_2", [cited, refusal("No."), "Two."])];
  expect(chatStream({ steps }).text).toBe("One.\n\nTwo.");
  expect(chatWhole({ steps }).text).toBe("One.\n\nTwo.");
});

it("fields of a Chat message that pass through unread with its start are in the stream as they are in the whole answer", () => {
  const extensions = { format: "chat", fields: { reasoning_details: [{ type: "x" }] } };
  const steps = message("msg_1", ["Hello."], { extensions });
  expect(whole(chatCodec, { steps })).toMatchObject({ choices: [{ message: extensions.fields }] });
  expect(framesOf(chatCodec, { steps }).map(({ json }) => json)).toContainEqual(
    expect.stringContaining(JSON.stringify(extensions.fields).slice(1, -1)),
  );
});

it("lists in unread fields of many messages become one list, in time that grows no faster than their number", () => {
  const list = (size: number) => {
    const steps = Array.from({ length: size }, (_, at) =>
      message(`msg_${at}`, [], { extensions: { format: "chat", fields: { images: [{ at }] } } }),
    ).flat();
    expect(whole(chatCodec, { steps })).toMatchObject({ choices: [{ message: { images: { length: size } } }] });
  };
  expect(timeGrowth(list, 500)).toBeLessThan(mostGrowth);
});
