import { both, containing, type Failed, type Fault } from "./fault.ts";

/** Words that a provider should not have said, around those that a person needs. */
const words = "It is too hot for that";
const secrets = "key provider-secret at http://10.1.2.3:9000/v1/internal";
const detail = { type: "heat_error", param: "temperature", code: "too_hot" };

/** What stands in the body, and what of it a client is told when the error is about the request. */
const bodies: [name: string, body: string, type: string, told: Failed["error"]][] = [
  [
    "the usual body",
    JSON.stringify({ error: { message: `${words}, ${secrets}`, ...detail } }),
    "application/json",
    { message: containing(words), ...detail },
  ],
  ["plain text", `${words}, ${secrets}`, "text/plain", { message: containing(words) }],
  ["a web page", `<html><title>${secrets}</title></html>`, "text/html", { message: /^[^<>]+$/ }],
  ["no body", "", "text/plain", { message: /./ }],
  ["half a body", `{"error":{"message":"${words}`, "application/json", { message: /./ }],
];

const kept = [400, 401, 403, 404, 408, 413, 422, 429];
const ours: [status: number, told: number][] = [
  [500, 502],
  [502, 502],
  [503, 503],
  [504, 502],
  [529, 502],
];

function refusal(status: number, told: number): Fault[] {
  return bodies.map(([name, body, type, error]) => {
    const retryAfter = status === 429 || status === 503 ? { "retry-after": "7" } : {};
    return {
      name: `answers ${status} with ${name}`,
      reply: both(() => ({ status, body, headers: { "content-type": type, ...retryAfter } })),
      ends: {
        status: told,
        // What is about the provider has our own code, whatever it says.
        error: told < 500 ? { ...error } : { message: error?.message, type: "server_error", code: "upstream_error" },
        ...(retryAfter["retry-after"] && { retryAfter: "7" }),
      },
    };
  });
}

const elsewhere = [301, 302, 307, 308].map(
  (status): Fault => ({
    name: `answers ${status} and leads elsewhere`,
    reply: both(() => ({ status, body: "", headers: { location: "http://10.1.2.3:9000/v1/internal" } })),
    ends: { status: 502, error: { code: "upstream_invalid", type: "server_error", message: /base_url/ } },
  }),
);

export const statusFaults: Fault[] = [
  ...kept.flatMap((status) => refusal(status, status)),
  ...ours.flatMap(([status, told]) => refusal(status, told)),
  ...elsewhere,
  {
    name: "answers 204 and nothing more",
    reply: both(() => ({ status: 204, body: "", headers: {} })),
    ends: { status: 502, error: { type: "server_error" } },
  },
];
