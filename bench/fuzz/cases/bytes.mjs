import { repeated, sizeUpTo } from "./sizes.mjs";

/** Changes of bytes that know nothing of what the bytes mean. */
const changes = {
  cut: (random, bytes) => bytes.subarray(0, random.between(0, bytes.length)),
  flip(random, bytes) {
    const copy = Buffer.from(bytes);
    for (let times = random.size(1, 20); times > 0 && copy.length > 0; times--) {
      copy[random.between(0, copy.length - 1)] ^= 1 << random.between(0, 7);
    }
    return copy;
  },
  "not UTF-8": (random, bytes) =>
    inserted(
      random,
      bytes,
      random.pick([[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xf8, 0x88], [0xf0, 0x9f, 0x99]].map((b) => Buffer.from(b))),
    ),
  noise: (random, bytes) => inserted(random, bytes, random.bytes(random.size(1, 400))),
  flood: (random, bytes) =>
    inserted(random, bytes, Buffer.from(repeated(random.pick(floods), sizeUpTo(random, 8_000_000)))),
  "byte order mark": (_random, bytes) => Buffer.concat([Buffer.from("\ufeff"), bytes]),
  twice: (_random, bytes) => Buffer.concat([bytes, bytes]),
  drop(random, bytes) {
    const at = random.between(0, bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random.size(1, 50))]);
  },
};

const floods = [
  "\n",
  "\r",
  "\r\n",
  " ",
  "\u0000",
  ">",
  "<",
  "[",
  "{",
  '"',
  "\\",
  "a",
  ":",
  "data:",
  "data: \n",
  "\n\r",
  "x:y\n",
  "é",
];

function inserted(random, bytes, piece) {
  const at = random.between(0, bytes.length);
  return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
}

export function mutateBytes(random, bytes) {
  const name = random.pick(Object.keys(changes));
  const changed = changes[name](random, bytes);
  return { bytes: changed, label: `${name} (${changed.length} bytes)` };
}

/** Cuts bytes into pieces as a network might: at most `most` of them. */
export function cutBytes(random, bytes, most = 400) {
  const length = random.weighted([
    [40, bytes.length],
    [20, 16_384],
    [20, random.size(1, 4_000)],
    [10, 1],
    [10, 0],
  ]);
  const pieces = [];
  for (let at = 0; at < bytes.length; ) {
    const left = most - pieces.length;
    const own = length === 0 ? random.size(1, 4_000) : length;
    const size = left <= 1 ? bytes.length : Math.max(own, 1);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
