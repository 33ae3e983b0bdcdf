import { describe, expect, it } from "vitest";
import { ProviderQuirks } from "../../src/backends/provider-quirks.ts";
import {
  cutAnswer,
  errorFromAnswer,
  errorFromNetwork,
  errorFromStatus,
  invalidAnswer,
} from "../../src/backends/upstream-errors.ts";
import { isRefusal, mayRetry, quotesOthers, TurnError, wantsRewrite } from "../../src/turn/index.ts";

const redact = (text: string) => text;
const refused = (status: number, message?: string, code?: string) =>
  errorFromStatus("b", status, message === undefined ? "" : JSON.stringify({ error: { message, code } }), {}, redact);

describe("a provider's HTTP error", () => {
  it.each([408, 409, 425, 429, 500, 502, 503])("with %i may be retried", (status) => {
    expect(mayRetry(refused(status, "No."))).toBe(true);
  });

  it.each([301, 400, 401, 404, 422, 501, 505])("with %i may not be retried", (status) => {
    expect(mayRetry(refused(status, "No."))).toBe(false);
  });

  it("about a quota that is used up may not be retried", () => {
    expect(mayRetry(refused(429, "No.", "insufficient_quota"))).toBe(false);
  });

  it("quotes others where it has a message", () => {
    expect(
      [refused(400, "You said: hello."), refused(400), refused(500, "No."), refused(500)].map(quotesOthers),
    ).toEqual([true, false, true, false]);
  });

  it("is a refusal; one inside an answer is none", () => {
    expect(isRefusal(refused(400, "No."))).toBe(true);
    expect(isRefusal(refused(500))).toBe(true);
    expect(isRefusal(errorFromAnswer("b", { message: "No.", status: 400 }, redact))).toBe(false);
  });
});

describe("a connection", () => {
  const broken = (code: string) => errorFromNetwork("b", Object.assign(new Error("broken"), { code }));

  it.each(["UND_ERR_CONNECT_TIMEOUT", "ECONNREFUSED", "ENOTFOUND", "ECONNRESET"])(
    "that fails with %s may be retried",
    (code) => {
      expect(mayRetry(broken(code))).toBe(true);
    },
  );

  it.each(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "CERT_HAS_EXPIRED"])(
    "that fails with %s may not be retried",
    (code) => {
      expect(mayRetry(broken(code))).toBe(false);
    },
  );
});

describe("a broken answer", () => {
  it("may be retried, unless the address is wrong", () => {
    expect(mayRetry(cutAnswer("b"))).toBe(true);
    expect(mayRetry(invalidAnswer("b", "nothing"))).toBe(true);
    expect(mayRetry(invalidAnswer("b", "a web page", "none"))).toBe(false);
  });
});

describe("a refusal that a provider's quirk explains", () => {
  const learn = (error: TurnError, body = "{}") =>
    new ProviderQuirks("http://127.0.0.1").learnFrom(error, {
      model: "m",
      body: body.toLowerCase(),
      ordersMessages: true,
    });
  const words = "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.";

  it("wants the turn to be rewritten, and stays what it is", () => {
    const error = refused(400, words, "bad_id");
    const learnt = learn(error);
    if (!(learnt instanceof TurnError)) throw new Error("it is no TurnError");
    expect([wantsRewrite(learnt), mayRetry(learnt), quotesOthers(learnt)]).toEqual([true, false, true]);
    expect(learnt).toMatchObject({ code: error.code, status: 400, message: words, body: error.body });
  });

  it("teaches nothing where the request has the same words, or the error came in an answer", () => {
    expect(learn(refused(400, words), words)).not.toSatisfy(wantsRewrite);
    expect(learn(errorFromAnswer("b", { message: words, status: 400 }, redact))).not.toSatisfy(wantsRewrite);
  });
});
