import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseReader, type ServerEvent } from "../../src/wire/sse.ts";

function read(chunks: readonly Uint8Array[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  const reader = createSseReader(({ event, data }) => events.push({ event, data }));
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
    expect(data('data: {"a":1}\n\ndata: {"b":2}\n')).toEqual(['{"a":1}', '{"b":2}']);
    expect(data('data: {"a":1}\n\ndata: {"b":')).toEqual(['{"a":1}']);
  });

  it("refuses an event that grows beyond all bounds", () => {
    const reader = createSseReader(() => {});
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
});
