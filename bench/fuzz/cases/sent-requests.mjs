import { cutBytes } from "./bytes.mjs";

/**
 * What a client sends: `{ pieces, pause, leaves, patience, isHead, isWellFormed }`. `patience` is how long it waits in silence, in
 * milliseconds; `leaves` is when it goes away by itself.
 */

export const host = "127.0.0.1";
export const longPatience = 45_000;
export const shortPatience = 120;

/** A whole request that the client waits for. */
export function complete(method, path, body, headers = []) {
  const bytes = Buffer.concat([headOf(method, path, [...headers, ["content-length", String(body.length)]]), body]);
  return {
    pieces: [bytes],
    pause: 0,
    leaves: null,
    patience: longPatience,
    isHead: method === "HEAD",
    isWellFormed: true,
  };
}

export function headOf(method, path, headers, version = "HTTP/1.1") {
  const usual = [
    ["host", host],
    ["content-type", "application/json"],
    ["connection", "close"],
  ];
  const names = new Set(headers.map(([name]) => name));
  const all = [...usual.filter(([name]) => !names.has(name)), ...headers].filter(([, value]) => value !== null);
  return Buffer.from(
    `${method} ${path} ${version}\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
    "latin1",
  );
}

/** Sent at once, in pieces, slowly, or by a client that goes away. */
export function sent(random, request) {
  const [bytes] = request.pieces;
  return random.weighted([
    [70, () => request],
    [15, () => ({ ...request, pieces: cutBytes(random, bytes, 60) })],
    [5, () => ({ ...request, pieces: cutBytes(random, bytes, 12), pause: random.between(1, 12) })],
    [5, () => ({ ...request, leaves: { afterBytes: random.size(1, 20_000) } })],
    [3, () => ({ ...request, leaves: { afterMilliseconds: random.between(0, 60) } })],
    [
      2,
      () => ({
        ...request,
        pieces: [bytes.subarray(0, random.between(0, bytes.length))],
        leaves: { afterMilliseconds: 20 },
      }),
    ],
  ])();
}

/** A request that need not be answered in full. */
export function broken(bytes, more = {}) {
  return {
    pieces: [bytes],
    pause: 0,
    leaves: null,
    patience: shortPatience,
    isHead: false,
    isWellFormed: false,
    ...more,
  };
}
