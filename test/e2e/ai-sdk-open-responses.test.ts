import { createOpenResponses } from "@ai-sdk/open-responses";
import { APICallError } from "ai";
import { expect, it } from "vitest";
import { describeRoundTrips, describeUse, type Program, weatherStation } from "./support/round-trip.ts";
import { refusal } from "./support/script.ts";
import { streamTextProgram } from "./support/stream-text.ts";

const use = { client: ["ai", "@ai-sdk/open-responses"], mode: "`streamText`", api: "responses" } as const;

const bare = streamTextProgram({
  model: ({ url }, name) => createOpenResponses({ name: "toolwire", url: `${url}/responses`, apiKey: "none" })(name),
  thinks: true,
});

/** It looks for the reason where the client keeps it. */
const program: Program = (...given) =>
  bare(...given).catch((error: unknown) => {
    throw APICallError.isInstance(error) && error.responseBody ? new Error(error.responseBody) : error;
  });
describeRoundTrips(use, program, null);

describeUse(use, (backend, gateway) => {
  it("keeps the reason of an HTTP error in responseBody where param or code is null", async () => {
    const { weather } = weatherStation();
    const error = await bare(gateway, `${backend}/refusing`, weather).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: "Bad Request", statusCode: 400 });
    expect(error).toHaveProperty("responseBody", expect.stringContaining(refusal));
  });

  it("has the reason as its message where both are there", async () => {
    const { weather } = weatherStation();
    await expect(bare(gateway, "nobody/knows", weather)).rejects.toThrow(/nobody/);
  });
});
