import { describe, expect, it } from "vitest";
import { readFailure } from "../../../src/backends/codex/errors.ts";
import type { JsonValue } from "../../../src/turn/index.ts";

/** What a client is told of a failure for which Codex has no word of its own. */
function told(message: string, info: JsonValue = "other") {
  const failure = readFailure("codex", { message, codexErrorInfo: info }, (text) => text.replaceAll("SECRET", "…"));
  return "error" in failure ? failure.error : failure;
}

describe("a failure that Codex tells in a sentence", () => {
  it.each([
    "Missing environment variable: `MY_LLM_KEY`.",
    "Your access token could not be refreshed. Please log out and sign in again.",
    "Error loading configuration: unknown field",
  ])("is about the home, and nobody's request: %s", (message) => {
    expect(told(message)).toMatchObject({ code: "upstream_unavailable", status: 503 });
    expect(told(message)).toMatchObject({ message: expect.stringContaining(message) });
  });

  it.each(["", "request timed out", "We're currently experiencing high demand."])(
    "is about the provider, and may be better soon: %s",
    (message) => {
      expect(told(message)).toMatchObject({ code: "upstream_error", status: 502, failure: { remedy: "retry" } });
    },
  );

  it.each([
    ["stream disconnected before completion: stream closed before response.completed", "upstream_cut"],
    ["stream disconnected before completion: Transport error: network error", "upstream_cut"],
    ["stream disconnected before completion: The model is overheated.", "upstream_error"],
  ])("is about the stream: %s", (message, code) => {
    expect(told(message)).toMatchObject({ code, failure: { remedy: "retry" } });
  });

  it("is a refusal in the provider's own words otherwise", () => {
    expect(told("Image too small.")).toMatchObject({
      ...{ code: "upstream_rejected", status: 400, message: "Image too small." },
    });
    const body = JSON.stringify({
      error: { message: "No such tool.", type: "invalid_request_error", code: "no_tool" },
    });
    expect(told(body)).toMatchObject({ code: "upstream_rejected", status: 400, message: "No such tool." });
  });

  it("is known by the status that stands in it, and says nothing of where it was", () => {
    const error = told("unexpected status 403 Forbidden: Not for you., url: http://127.0.0.1:1/v1/responses");
    expect(error).toMatchObject({ code: "upstream_rejected", status: 403, message: "Not for you." });
  });

  it.each([
    ["Incomplete response returned, reason: max_output_tokens", "length"],
    ["Incomplete response returned, reason: content_filter", "content_filter"],
  ])("is an end and no failure: %s", (message, reason) => {
    expect(told(message)).toEqual({ reason });
  });

  it.each<[string, JsonValue]>([
    ["other", "other"],
    ["unauthorized", "unauthorized"],
    ["usageLimitExceeded", "usageLimitExceeded"],
    ["serverOverloaded", "serverOverloaded"],
    ["a status", { httpConnectionFailed: { httpStatusCode: 401 } }],
    ["a word of tomorrow", "somethingOfTomorrow"],
  ])("has no secret in it: %s", (_, info) => {
    expect(told("The key SECRET is wrong.", info)).toMatchObject({ message: expect.not.stringContaining("SECRET") });
  });
});
