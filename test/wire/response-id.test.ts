import { describe, expect, it } from "vitest";
import { answerId } from "../../src/turn/index.ts";
import { codecs } from "../../src/wire/index.ts";
import { responseIdForm } from "../../src/wire/responses/response-id.ts";

describe("a response's id", () => {
  it("is new each time", () => {
    expect(answerId(responseIdForm)).not.toBe(answerId(responseIdForm));
  });

  it("goes on as the client sent it, whoever made it", () => {
    const codec = codecs.find(({ name }) => name === "responses");
    for (const id of [answerId(responseIdForm), "resp_68a1f0", `${answerId(responseIdForm)}_up`]) {
      const request = codec?.decode({ model: "m", previous_response_id: id }, { toolOutput: 1000 });
      expect(request?.turn.previousResponseId).toBe(id);
      expect(request?.continues).toEqual({ param: "previous_response_id", responseId: id });
    }
  });
});
