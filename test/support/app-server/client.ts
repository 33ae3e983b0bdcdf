import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject, type JsonObject } from "../../../src/turn/index.ts";
import type { RecordingName } from "./scene.ts";

export interface RecordedLine {
  t_ms: number;
  from: "client" | "server" | "meta";
  msg: JsonObject;
}

export async function readRecording(name: RecordingName): Promise<RecordedLine[]> {
  const url = new URL(`../../backends/codex/recordings/${name}.jsonl`, import.meta.url);
  const lines = (await readFile(url, "utf8")).split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as RecordedLine);
}

/** Sends to a program what the client of a recording sent, each when all that came before it was heard. */
export async function repeatRecording(
  command: readonly string[],
  recording: readonly RecordedLine[],
): Promise<{ heard: JsonObject[]; exit: number | null }> {
  const client = new BareClient(command);
  const ids = new Map<string, string>();
  let expected = 0;
  for (const { from, msg } of recording) {
    if (from === "server") expected++;
    if (from !== "client") continue;
    await client.hears(expected);
    learnIds(ids, recording, client.heard);
    client.send(withIds(msg, ids));
  }
  await client.hears(expected);
  return { heard: client.heard, exit: await client.close() };
}

/** The ids that the program has made, by those of the recording. */
function learnIds(ids: Map<string, string>, recording: readonly RecordedLine[], heard: readonly JsonObject[]): void {
  const said = recording.filter(({ from }) => from === "server").map(({ msg }) => msg);
  for (const what of ["thread", "turn"]) {
    const made = (messages: readonly JsonObject[]) =>
      messages.flatMap(({ result }) => (isObject(result) && isObject(result[what]) ? [String(result[what].id)] : []));
    const own = made(heard);
    made(said).forEach((id, index) => {
      const known = own[index];
      if (known !== undefined) ids.set(id, known);
    });
  }
}

function withIds(msg: JsonObject, ids: ReadonlyMap<string, string>): JsonObject {
  const text = JSON.stringify(msg).replace(/"((?:thread|turn)-\d+)"/g, (whole, id) => {
    const known = ids.get(String(id));
    return known === undefined ? whole : JSON.stringify(known);
  });
  return JSON.parse(text) as JsonObject;
}

/** A client that knows nothing of the protocol but its lines. */
class BareClient {
  readonly heard: JsonObject[] = [];
  readonly #program: ChildProcessWithoutNullStreams;
  #hear = () => {};

  constructor([program = "", ...words]: readonly string[]) {
    this.#program = spawn(program, words, { stdio: "pipe" });
    this.#program.stderr.pipe(process.stderr);
    createInterface({ input: this.#program.stdout }).on("line", (line) => {
      this.heard.push(JSON.parse(line) as JsonObject);
      this.#hear();
    });
  }

  send(msg: JsonObject): void {
    this.#program.stdin.write(`${JSON.stringify(msg)}\n`);
  }

  async hears(count: number): Promise<void> {
    for (const end = Date.now() + 5_000; this.heard.length < count; ) {
      if (Date.now() > end) throw new Error(`${this.heard.length} messages, not ${count}: ${this.#lastWords()}`);
      const hearing = new Promise<void>((resolve) => {
        this.#hear = resolve;
      });
      await Promise.race([sleep(100), hearing]);
    }
  }

  #lastWords(): string {
    return JSON.stringify(this.heard.slice(-3));
  }

  async close(): Promise<number | null> {
    const exited = once(this.#program, "exit");
    this.#program.stdin.end();
    const [code] = (await exited) as [number | null];
    return code;
  }
}
