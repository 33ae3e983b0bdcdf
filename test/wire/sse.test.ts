import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ServerEvent, SseReader } from "../../src/wire/sse.ts";

function read(chunks: readonly Uint8Array[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  const reader = new SseReader(({ event, data }) => events.push({ event, data }));
  for (const chunk of chunks) reader.feed(chunk);
  reader.end();
  return events;
}

const bytes = (text: string) => Buffer.from(text, "utf8");
const data = (text: string) => read([bytes(text)]).map((event) => event.data);

describe("reading a provider's stream", () => {
  it("takes CRLF, comments, a byte-order mark and fields that it does not know", () => {
    expect(data('\ufeff: hello\r\nid: 7\r\ndata: {"a":1}\r\n\r\nfoo: bar\ndata: [DONE]\n\n')).toEqual([
      '{"a":1}',
      "[DONE]",
    ]);
  });

  it("takes a last event whose blank line is missing, if it is whole", () => {
    expect(data('data: {"a":1}\n\ndata: [DONE]')).toEqual(['{"a":1}', "[DONE]"]);
    const large = JSON.stringify({ output: Array(60_000).fill(0) });
    expect(data(`data: ${large}`)).toEqual([large]);
    expect(data('data: {"a":1}\n\ndata: {"b":2}\n')).toEqual(['{"a":1}', '{"b":2}']);
    expect(data('data: {"a":1}\n\ndata: {"b":')).toEqual(['{"a":1}']);
  });

  it("refuses an event that grows beyond all bounds", () => {
    const reader = new SseReader(() => {});
    const megabyte = bytes("x".repeat(1024 * 1024));
    reader.feed(bytes("data: "));
    expect(() => {
      for (let count = 0; count < 20; count++) reader.feed(megabyte);
    }).toThrow(/too large/);
  });

  it.each(['{"choices":[]}', 'dta: {"a":1}', "Internal Server Error", "ata: [DONE] {"])(
    "refuses a line that may be an event in pieces: %s",
    (line) => {
      expect(() => data(`data: {"a":1}\n\n${line}\n\ndata: [DONE]\n\n`)).toThrow(/cannot be read/);
    },
  );

  it("gives the same events however the bytes are cut, also inside a character", () => {
    const texts = fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(texts, fc.array(fc.nat()), fc.constantFrom("\n", "\r\n"), (values, cuts, line) => {
        const payloads = values.map((value) => JSON.stringify({ value }));
        const stream = bytes(payloads.map((payload) => `event: x${line}data: ${payload}${line}${line}`).join(""));
        const places = [...new Set(cuts.map((cut) => cut % stream.length))].sort((a, b) => a - b);
        const chunks = [0, ...places].map((from, index) => stream.subarray(from, places[index] ?? stream.length));
        expect(read(chunks).map((event) => event.data)).toEqual(payloads);
      }),
    );
  });

  it("ends lines with CR, LF or both, also where a read ends between them", () => {
    expect(data("data: 1\r\rdata: 2\n\ndata: 3\r\n\r\ndata: 4\r\n\n")).toEqual(["1", "2", "3", "4"]);
    const pieces = ["data: 1\r", "\n\r", "\ndata: 2\r", "\r", "\ndata: 3\n", "\r\n"];
    expect(read(pieces.map(bytes)).map((event) => event.data)).toEqual(["1", "2", "3"]);
  });

  it("takes several lines of data, lines without a value, and the last name of an event", () => {
    expect(read([bytes("event: a\nevent: b\ndata: 1\ndata\ndata:2\n\nevent\ndata: 3\n\n")])).toEqual([
      { event: "b", data: "1\n\n2" },
      { event: undefined, data: "3" },
    ]);
  });

  it("forgets a name that no event can have", () => {
    expect(read([bytes(`event: ${"x".repeat(10_000)}\ndata: 1\n\n`)])).toEqual([{ event: undefined, data: "1" }]);
  });
});

describe("a provider that floods its stream", () => {
  const feed = (text: string, size = 16_384) => {
    const reader = new SseReader(() => {});
    const all = bytes(text);
    for (let at = 0; at < all.length; at += size) reader.feed(all.subarray(at, at + size));
  };

  it("with fields that nobody knows is refused soon", () => {
    expect(() => feed("a:\n".repeat(1_000))).not.toThrow();
    expect(() => feed("a:\n".repeat(1_001))).toThrow(/too many lines/);
  });

  it("with empty lines of data is refused before they fill the memory", () => {
    expect(() => feed("data:\n".repeat(1_000_000))).toThrow(/too large/);
  });

  it("with blank lines, comments and names costs no more than it sends", () => {
    // Searching each line for the one CR at the end of the text would take a minute.
    for (const line of ["\n", ":\n", "event: x\n", "id: 1\n", "retry: 1\n"]) feed(`${line.repeat(400_000)}\r`, 1 << 20);
    feed("\r".repeat(1_000_000), 1 << 20);
  });

  it("with one long line in small pieces costs no more than it sends", () => {
    const events: ServerEvent[] = [];
    const reader = new SseReader((event) => events.push(event));
    const payload = "x".repeat(500_000);
    for (const character of bytes(`data: ${payload}\n\n`)) reader.feed(Uint8Array.of(character));
    expect(events.map((event) => event.data)).toEqual([payload]);
  });
});
