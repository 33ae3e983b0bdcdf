import { isPlainHeader, oddHeaders } from "./routes.mjs";
import { broken, complete, headOf, host, longPatience } from "./sent-requests.mjs";

function chunked(body, sizes) {
  const pieces = [];
  let at = 0;
  for (const size of sizes) {
    if (at >= body.length) break;
    const piece = body.subarray(at, at + size);
    at += size;
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
  }
  return Buffer.concat([...pieces, Buffer.from("0\r\n\r\n")]);
}

const chunkedHeader = ["transfer-encoding", "chunked"];

/** Ways to send a good request that a server seldom sees. */
export const requestTransports = {
  "in chunks": (random, path, body) => ({
    ...complete("POST", path, body),
    pieces: [
      Buffer.concat([
        headOf("POST", path, [chunkedHeader]),
        chunked(
          body,
          Array.from({ length: body.length }, () => random.size(1, 500)),
        ),
      ]),
    ],
  }),
  "odd chunks": (random, path, body) =>
    broken(
      Buffer.concat([
        headOf("POST", path, [chunkedHeader]),
        Buffer.from(
          random.pick([
            "zz\r\n",
            "-1\r\n",
            "ffffffffffffffff\r\n",
            "5;a=b\r\nhello\r\n0\r\n\r\n",
            "0x5\r\nhello\r\n",
            "\r\n",
            "5\nhello\n0\n\n",
            `5;${"x".repeat(20_000)}\r\nhello\r\n`,
            "0\r\nx-trailer: a\r\n\r\n",
          ]),
        ),
        body,
      ]),
    ),
  "length too large": (_random, path, body) =>
    broken(Buffer.concat([headOf("POST", path, [["content-length", String(body.length + 10)]]), body])),
  "length too small": (_random, path, body) =>
    broken(Buffer.concat([headOf("POST", path, [["content-length", String(body.length - 5)]]), body])),
  "both lengths": (_random, path, body) =>
    broken(
      Buffer.concat([headOf("POST", path, [chunkedHeader, ["content-length", "5"]]), chunked(body, [body.length])]),
    ),
  "two lengths": (_random, path, body) =>
    broken(
      Buffer.concat([
        headOf("POST", path, [
          ["content-length", "5"],
          ["content-length", String(body.length)],
        ]),
        body,
      ]),
    ),
  "no length": (_random, path, body) => broken(Buffer.concat([headOf("POST", path, []), body]), { patience: 500 }),
  "larger than allowed": (random, path) => {
    const length = random.pick([33_600_000, 40_000_000, 10 ** 12]);
    return broken(
      Buffer.concat([
        headOf("POST", path, [["content-length", String(length)]]),
        Buffer.alloc(random.size(1, 200_000), 0x20),
      ]),
      { label: `length ${length}`, patience: 400 },
    );
  },
  pipelined(random, path, body) {
    const one = Buffer.concat([
      headOf("POST", path, [
        ["content-length", String(body.length)],
        ["connection", "keep-alive"],
      ]),
      body,
    ]);
    const count = random.between(2, 6);
    return broken(Buffer.concat(Array.from({ length: count }, () => one)), {
      patience: 1_500,
      label: `${count} requests at once`,
    });
  },
  "no host": (_random, path, body) =>
    broken(
      Buffer.concat([
        headOf("POST", path, [
          ["host", null],
          ["content-length", String(body.length)],
        ]),
        body,
      ]),
      { patience: 400 },
    ),
  "two hosts": (_random, path, body) =>
    broken(
      Buffer.concat([
        headOf("POST", path, [
          ["host", host],
          ["host", "evil.example"],
          ["content-length", String(body.length)],
        ]),
        body,
      ]),
      { patience: 400 },
    ),
  "HTTP/1.0": (_random, path, body) => ({
    ...broken(Buffer.concat([headOf("POST", path, [["content-length", String(body.length)]], "HTTP/1.0"), body])),
    patience: 5_000,
  }),
  "other versions": (random, path, body) =>
    broken(
      Buffer.concat([
        headOf("POST", path, [], random.pick(["HTTP/0.9", "HTTP/2.0", "HTTP/9.9", "FTP/1.0", "", "HTTP/1.1 x"])),
        body,
      ]),
    ),
  "line feeds only": (_random, path, body) =>
    broken(Buffer.from(`POST ${path} HTTP/1.1\nhost: ${host}\ncontent-length: ${body.length}\n\n${body}`)),
  "folded header": (_random, path, body) =>
    broken(
      Buffer.from(
        `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nx: a\r\n b\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      ),
    ),
  "many headers": (random, path, body) => {
    const count = random.size(10, 4_000);
    const many = Array.from({ length: count }, (_, n) => [`x-h${n}`, "v"]);
    return broken(Buffer.concat([headOf("POST", path, [...many, ["content-length", String(body.length)]]), body]), {
      patience: 2_000,
      label: `${count} headers`,
    });
  },
  "long header": (random, path, body) => {
    const size = random.size(100, 100_000);
    return broken(
      Buffer.concat([
        headOf("POST", path, [
          ["x-long", "v".repeat(size)],
          ["content-length", String(body.length)],
        ]),
        body,
      ]),
      { patience: 2_000, label: `header of ${size}` },
    );
  },
  "odd header": (random, path, body) => {
    const header = random.pick(oddHeaders);
    const own = header[0] === "content-length" ? [] : [["content-length", String(body.length)]];
    const isWellFormed = isPlainHeader(header);
    return broken(Buffer.concat([headOf("POST", path, [header, ...own]), body]), {
      isWellFormed,
      patience: isWellFormed ? longPatience : 700,
      label: header.join(": ").slice(0, 60),
    });
  },
  "one byte at a time": (_random, path, body) => {
    const request = complete("POST", path, body);
    return {
      ...request,
      pieces: [...request.pieces[0].subarray(0, 300)]
        .map((byte) => Buffer.from([byte]))
        .concat(request.pieces[0].subarray(300)),
    };
  },
  "head in halves": (random, path, body) => {
    const [bytes] = complete("POST", path, body).pieces;
    const at = random.between(1, bytes.length - 1);
    return {
      ...complete("POST", path, body),
      pieces: [bytes.subarray(0, at), bytes.subarray(at)],
      pause: random.between(1, 60),
    };
  },
  "not HTTP": (random) =>
    broken(
      random.pick([
        Buffer.from("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "latin1"),
        Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Buffer.from("\r\n\r\n\r\n"),
        Buffer.from("hello\r\n\r\n"),
        Buffer.alloc(100_000, 0x41),
        Buffer.from("GET\r\n\r\n"),
        random.bytes(2_000),
      ]),
    ),
  "closes its side": (_random, path, body) => ({
    ...complete("POST", path, body),
    closesItsSide: true,
    isWellFormed: false,
  }),
  "reads slowly": (random, path, body) => ({ ...complete("POST", path, body), readsEvery: random.between(5, 30) }),
  "leaves at once": (random, path, body) => ({
    ...complete("POST", path, body),
    leaves: { afterMilliseconds: random.between(0, 5) },
  }),
};
