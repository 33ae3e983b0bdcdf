/** Paths, methods and headers that a request may have: those that there are, and odd ones. */

export const paths = [
  "/v1/chat/completions",
  "/chat/completions",
  "/openai/v1/chat/completions",
  "/v1/responses",
  "/responses",
  "/openai/v1/responses",
  "/v1/models",
  "/v1/models/chat-auto",
  "/v1/models/chat%2Fauto",
  "/health",
  "/healthz",
  "/livez",
  "/ready",
  "/readyz",
  "/metrics",
  "/",
  "/v1/responses/resp_1",
  "/v1/responses/resp_1/cancel",
  "/v1/conversations",
  "/console/api/approvals",
  "/favicon.ico",
  "/v1/embeddings",
];
export const oddPaths = [
  "/%zz",
  "/%00",
  "/%",
  "//",
  "/../../etc/passwd",
  "/v1/models/%2e%2e%2f",
  "/v1/chat/completions?a=%zz",
  "/v1/chat/completions#a",
  "*",
  "http://example.com/v1/models",
  "/v1/responses;a=b",
  "/é",
  "/v1//chat//completions",
  "/v1/models/%F0%9F%99",
  "/__proto__",
  "/v1/models/__proto__",
  "/v1/models/constructor",
];
export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
export const oddMethods = ["TRACE", "CONNECT", "PROPFIND", "QUERY", "get", "BREW", "M-SEARCH", ""];

export const oddHeaders = [
  ["content-type", "text/plain"],
  ["content-type", "application/json; charset=utf-16"],
  ["content-type", "multipart/form-data; boundary=a"],
  ["content-type", ""],
  ["content-type", "application/vnd.api+json"],
  ["content-type", `application/json;${" ".repeat(5_000)}x`],
  ["accept", "text/event-stream"],
  ["accept-encoding", "gzip, br, zstd"],
  ["content-encoding", "gzip"],
  ["authorization", "Bearer x"],
  ["authorization", `Bearer ${"x".repeat(10_000)}`],
  ["host", "evil.example"],
  ["host", ""],
  ["host", "127.0.0.1:99999"],
  ["host", "[::1]"],
  ["origin", "http://evil.example"],
  ["origin", "null"],
  ["x-request-id", "é"],
  ["x-request-id", "a".repeat(9_000)],
  ["x-request-id", "<script>"],
  ["x-toolwire-profile", "extended"],
  ["x-toolwire-profile", "junk"],
  ["x-toolwire-profile", "__proto__"],
  ["x-toolwire-emit", "junk"],
  ["expect", "100-continue"],
  ["expect", "junk"],
  ["upgrade", "websocket"],
  ["connection", "upgrade"],
  ["connection", "keep-alive, x-request-id"],
  ["te", "trailers"],
  ["idempotency-key", "a"],
  ["openai-beta", "a=b"],
  ["openai-organization", "\u0001"],
  ["x a", "b"],
  ["range", "bytes=0-1"],
  ["if-none-match", "*"],
  ["transfer-encoding", "gzip, chunked"],
  ["content-length", "-1"],
  ["content-length", "1e3"],
  ["content-length", "99999999999999999999"],
  ["originator", "codex_cli_rs"],
  ["cookie", "a=b; ".repeat(1_000)],
];

/** Headers that leave a request one that can be answered in full. */
export function isPlainHeader([name, value]) {
  const breaks = ["content-length", "transfer-encoding", "expect", "upgrade", "connection", "x a", "content-encoding"];
  return value === null || (!breaks.includes(name) && value.length < 8_000 && isPlain(value));
}

export function isPlain(text) {
  return /^[\x21-\x7e ]*$/.test(text);
}
