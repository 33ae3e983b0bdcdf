import { secret } from "../run/settings.mjs";

const statuses = [
  200, 200, 201, 204, 205, 206, 301, 302, 304, 400, 401, 403, 404, 408, 413, 422, 429, 429, 500, 502, 503, 503, 529,
  599,
];

/** Changes of what is around the bytes of an answer. Each says what it did. */
export const answerTransports = {
  status(random, answer) {
    answer.status = random.pick(statuses);
    return `status ${answer.status}`;
  },
  "content type"(random, answer) {
    const type = random.pick([
      "text/html",
      "application/json",
      "text/event-stream",
      "text/plain",
      "",
      "application/octet-stream",
      "text/event-stream; charset=utf-16",
      "a".repeat(4_000),
    ]);
    answer.headers = { "content-type": type };
    return `content type ${type.slice(0, 30)}`;
  },
  encoding(random, answer) {
    const encoding = random.pick(["gzip", "br", "deflate", "identity", "unknown"]);
    answer.headers = { ...answer.headers, "content-encoding": encoding };
    return `content encoding ${encoding}`;
  },
  headers(random, answer) {
    const many = Array.from({ length: random.size(1, 300) }, (_, n) => [`x-h${n}`, "v".repeat(random.size(1, 50))]);
    answer.headers = {
      ...answer.headers,
      ...Object.fromEntries(many),
      "retry-after": random.pick(["1", "soon", "-1", "999999999999", secret]),
      "x-request-id": secret,
    };
    return `${many.length} headers`;
  },
  ending(random, answer) {
    answer.ending = random.weighted([
      [4, "reset"],
      [3, "destroy"],
      [1, "hang"],
      [2, "short"],
    ]);
    return `ends by ${answer.ending}`;
  },
  raw(random, answer) {
    answer.raw = random.pick([
      "HTTP/1.1 200 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n",
      "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\n",
      "HTTP/1.1 99999 OK\r\n\r\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
      `HTTP/1.1 200 OK\r\nx: ${"a".repeat(100_000)}\r\n\r\n`,
      `HTTP/1.1 401 ${secret}\r\nwww-authenticate: ${secret}\r\ncontent-length: 0\r\n\r\n`,
      "SSH-2.0-OpenSSH_9.6\r\n",
      "\u0000\u0001\u0002\u0003",
      "",
    ]);
    return `raw ${JSON.stringify(answer.raw.slice(0, 40))}`;
  },
};
