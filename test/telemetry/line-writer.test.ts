import { Buffer } from "node:buffer";
import { setImmediate as tick } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Disk } from "../../src/telemetry/disk.ts";
import { LineWriter } from "../../src/telemetry/line-writer.ts";

/** A disk whose writes do as they are told, one after the other, and then always succeed. */
class ScriptedDisk implements Disk {
  #taken: Buffer[] = [];
  writes = 0;
  closed = false;
  readonly #script: ((bytes: Buffer, from: number) => number | Promise<number>)[];

  constructor(...script: ((bytes: Buffer, from: number) => number | Promise<number>)[]) {
    this.#script = script;
  }

  async write(bytes: Buffer, from: number): Promise<number> {
    this.writes++;
    const step = this.#script.shift();
    const taken = step ? await step(bytes, from) : bytes.length - from;
    this.#taken.push(Buffer.from(bytes.subarray(from, from + taken)));
    return taken;
  }

  get text(): string {
    return Buffer.concat(this.#taken).toString("utf8");
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

function fails(code: string): () => never {
  return () => {
    throw Object.assign(new Error(code), { code });
  };
}

function writerTo(disk: Disk, capacity?: number) {
  const errors: unknown[] = [];
  const writer = new LineWriter({
    disk,
    closeWithin: 200,
    ...(capacity === undefined ? {} : { capacity }),
    missing: (count) => `<missing ${count}>`,
    onError: (error) => errors.push(error),
  });
  return { writer, errors };
}

test("what one tick has to say is one write", async () => {
  const disk = new ScriptedDisk();
  const { writer } = writerTo(disk);
  for (const line of ["a", "b", "c"]) writer.write(line);
  expect(disk.writes).toBe(0);
  await writer.close();
  expect(disk.text).toBe("a\nb\nc\n");
  expect(disk).toMatchObject({ writes: 1, closed: true });
});

describe("a slow disk", () => {
  test("never makes a turn wait: what does not fit is dropped, and one line says how many", async () => {
    let release = (_taken: number) => {};
    const disk = new ScriptedDisk(() => new Promise<number>((resolve) => (release = resolve)));
    const { writer, errors } = writerTo(disk, 10);
    writer.write("1234");
    await tick();
    await tick();
    writer.write("5678");
    for (let at = 0; at < 5; at++) writer.write("lost");
    release(5);
    await tick();
    writer.write("9");
    await writer.close();
    expect(disk.text).toBe("1234\n<missing 5>\n5678\n9\n");
    expect(errors).toEqual([]);
  });

  test("cannot hold more than 8 MB in memory", async () => {
    let release = (_taken: number) => {};
    const disk = new ScriptedDisk(() => new Promise<number>((resolve) => (release = resolve)));
    const { writer } = writerTo(disk);
    const line = "x".repeat(1024 * 1024 - 1);
    for (let at = 0; at < 20; at++) writer.write(line);
    await tick();
    release(8 * 1024 * 1024);
    await writer.close();
    expect(disk.text.length).toBe(8 * 1024 * 1024 + "<missing 12>\n".length);
  });

  test("that takes a line in parts gets every part", async () => {
    const disk = new ScriptedDisk(
      () => 1,
      () => 2,
    );
    const { writer } = writerTo(disk);
    writer.write("é€😀");
    await writer.close();
    expect(disk.text).toBe("é€😀\n");
    expect(disk.writes).toBe(3);
  });

  test("that hangs does not keep the process from ending", async () => {
    const disk = new ScriptedDisk(() => new Promise<number>(() => {}));
    const { writer } = writerTo(disk);
    writer.write("a");
    await writer.close();
    expect(disk.closed).toBe(false);
  });

  test("a full pipe is tried again", async () => {
    const disk = new ScriptedDisk(fails("EAGAIN"), fails("EAGAIN"));
    const { writer, errors } = writerTo(disk);
    writer.write("a");
    await writer.close();
    expect(disk.text).toBe("a\n");
    expect(errors).toEqual([]);
  });
});

describe("a full disk", () => {
  test("is told once; when there is room again, a line says how many are missing", async () => {
    const disk = new ScriptedDisk(fails("ENOSPC"), fails("ENOSPC"));
    const { writer, errors } = writerTo(disk);
    for (const line of ["lost 1", "lost 2", "kept"]) {
      writer.write(line);
      await settled();
    }
    await writer.close();
    expect(disk.text).toBe("<missing 2>\nkept\n");
    expect(errors).toHaveLength(1);
  });

  test("that cut a line in two does not spoil the next one", async () => {
    const disk = new ScriptedDisk(() => 6, fails("ENOSPC"));
    const { writer } = writerTo(disk);
    for (const line of ["whole", "broken", "lost"]) writer.write(line);
    await settled();
    writer.write("next");
    await writer.close();
    expect(disk.text).toBe("whole\n<missing 2>\nnext\n");
  });

  test("that left half a line is continued on a new one", async () => {
    const disk = new ScriptedDisk(() => 3, fails("ENOSPC"));
    const { writer } = writerTo(disk);
    writer.write("broken");
    await settled();
    await writer.close();
    expect(disk.text).toBe("bro\n<missing 1>\n");
  });

  test("whatever fails and when, each line is written whole or counted once", async () => {
    const step = fc.oneof(
      fc.constant(fails("ENOSPC")),
      fc.constant(fails("EIO")),
      fc
        .integer({ min: 1, max: 30 })
        .map((taken) => (bytes: Buffer, from: number) => Math.min(taken, bytes.length - from)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 12 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
        async (script, pauses) => {
          const disk = new ScriptedDisk(...script);
          const { writer } = writerTo(disk);
          for (const [at, pause] of pauses.entries()) {
            writer.write(`<line ${at}>`);
            if (pause) await settled();
          }
          // Enough room in the end, whatever the script still holds.
          for (let at = 0; at < 13; at++) {
            writer.write("<end>");
            await settled();
          }
          await writer.close();
          const lines = disk.text.split("\n");
          const whole = lines.filter((line) => /^<line \d+>$|^<end>$/.test(line)).length;
          const missing = lines.reduce((sum, line) => sum + Number(/^<missing (\d+)>$/.exec(line)?.[1] ?? 0), 0);
          expect(whole + missing).toBe(pauses.length + 13);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("a process that ends", () => {
  /** A pipe that takes so many bytes at once, and as many in all as it has room for. */
  function pipe(room: number, atOnce = 5) {
    let text = "";
    const write = (bytes: Buffer, from: number) => {
      const taken = Math.min(atOnce, room - text.length, bytes.length - from);
      if (taken === 0) throw Object.assign(new Error("full"), { code: "EAGAIN" });
      text += bytes.toString("latin1", from, from + taken);
      return taken;
    };
    return { disk: { write, writeNow: write, async close() {} }, text: () => text };
  }

  test("writes all lines before it returns, also those that were begun", async () => {
    const { disk, text } = pipe(1_000);
    const { writer } = writerTo(disk, 10);
    for (const line of ["first", "second", "lost"]) writer.write(line);
    writer.flushNow(1_000);
    expect(text()).toBe("<missing 2>\nfirst\n");
    writer.write("third");
    writer.flushNow(1_000);
    await settled();
    await writer.close();
    expect(text()).toBe("<missing 2>\nfirst\nthird\n");
    expect(writer.dropped).toBe(2);
  });

  test("goes on in the middle of a line, and does not wait for a reader that has stopped", async () => {
    const { disk, text } = pipe(8);
    const { writer } = writerTo(disk);
    for (const line of ["first", "second"]) writer.write(line);
    await settled();
    const asked = performance.now();
    writer.flushNow(50);
    expect(performance.now() - asked).toBeLessThan(5_000);
    expect(text()).toBe("first\nse");
    await writer.close();
  });

  test("does not write again what a slow disk already has", async () => {
    const disk = new ScriptedDisk(() => new Promise<number>(() => {}));
    const now: string[] = [];
    const writeNow = (bytes: Buffer, from: number) => now.push(bytes.toString("utf8", from)) && bytes.length - from;
    const { writer } = writerTo(Object.assign(disk, { writeNow }));
    writer.write("on its way");
    await settled();
    writer.write("last");
    writer.flushNow(50);
    expect(now).toEqual(["last\n"]);
  });
});

async function settled(): Promise<void> {
  for (let at = 0; at < 6; at++) await tick();
}
