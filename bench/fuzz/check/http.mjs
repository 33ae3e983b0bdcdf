/** The answers in the bytes that a client got: `{ status, headers, body, isWhole }`. What is behind the last one is `rest`. */
export function parseAnswers(bytes, isHead = false) {
  const answers = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end === -1) break;
    const head = bytes.toString("latin1", at, end);
    const found = /^HTTP\/1\.[01] (\d{3})(?: [^\r\n]*)?/.exec(head);
    if (found === null) break;
    const headers = headersOf(head);
    const status = Number(found[1]);
    const { body, next, isWhole } = bodyOf(bytes, end + 4, { status, headers, isHead });
    answers.push({ status, headers, body, isWhole });
    at = next;
  }
  return { answers, rest: bytes.subarray(at) };
}

function headersOf(head) {
  const headers = new Map();
  for (const line of head.split("\r\n").slice(1)) {
    const colon = line.indexOf(":");
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

function bodyOf(bytes, from, { status, headers, isHead }) {
  if (isHead || status < 200 || status === 204 || status === 304)
    return { body: Buffer.alloc(0), next: from, isWhole: true };
  const length = headers.get("content-length");
  if (length !== undefined) {
    const end = from + Number(length);
    return { body: bytes.subarray(from, end), next: Math.min(end, bytes.length), isWhole: end <= bytes.length };
  }
  if (headers.get("transfer-encoding") === "chunked") return unchunk(bytes, from);
  return { body: bytes.subarray(from), next: bytes.length, isWhole: true };
}

function unchunk(bytes, from) {
  const pieces = [];
  let at = from;
  for (;;) {
    const line = bytes.indexOf("\r\n", at);
    const size = line === -1 ? Number.NaN : Number.parseInt(bytes.toString("latin1", at, line), 16);
    if (Number.isNaN(size)) return { body: Buffer.concat(pieces), next: bytes.length, isWhole: false };
    const start = line + 2;
    if (size === 0)
      return {
        body: Buffer.concat(pieces),
        next: Math.min(start + 2, bytes.length),
        isWhole: start + 2 <= bytes.length,
      };
    pieces.push(bytes.subarray(start, start + size));
    at = start + size + 2;
    if (at > bytes.length) return { body: Buffer.concat(pieces), next: bytes.length, isWhole: false };
  }
}
