import { once } from "node:events";
import { didYouMean } from "../../config/index.ts";
import type { ReadingOptions } from "../../dialects/index.ts";
import { parts as gatewayParts } from "../../gateway/parts.ts";
import type { JsonObject, JsonValue } from "../../turn/index.ts";
import { TurnError } from "../../turn/index.ts";
import { type ClientRequest, type Codec, codecs } from "../../wire/index.ts";
import { RecordedBackend } from "./backend.ts";
import { Complaint } from "./complaint.ts";
import { playEvents } from "./events.ts";
import { readText } from "./file.ts";
import { partsOf } from "./parts.ts";
import { readParts } from "./reading.ts";
import { readRecording } from "./recording.ts";
import { renderSpans } from "./spans.ts";
import { type Dialects, namesWritten, readToolsFile, toolNamed } from "./tools.ts";

/** The unparsed values of the flags. */
export interface ReplayFlags {
  file?: string | undefined;
  tools?: string | undefined;
  tool?: string | undefined;
  dialects?: string | undefined;
  format?: string | undefined;
  api?: string | undefined;
  ending?: string | undefined;
  pieces?: string | undefined;
}

export async function runReplay(flags: ReplayFlags): Promise<number> {
  // The reader of standard output, for example `head`, may close the pipe early.
  process.stdout.on("error", () => process.exit());
  try {
    await replay(flags);
    return 0;
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    printNotice(error.message);
    return 1;
  }
}

async function replay(flags: ReplayFlags): Promise<void> {
  const { file } = flags;
  if (file === undefined) throw new Complaint("replay needs a FILE: what a model wrote, or what its provider sent");
  const format = oneOf("--format", flags.format, ["spans", "events"]) ?? (process.stdout.isTTY ? "spans" : "events");
  const codec = codecNamed(oneOf("--api", flags.api, ["responses", "chat"]) ?? "responses");
  const dialects = readDialects(flags.dialects);
  const ending = oneOf("--ending", flags.ending, ["stop", "cut"]);
  const pieces = readPieces(flags.pieces);

  const recording = readRecording(await readText(file));
  if (recording.kind !== "text" && (ending ?? pieces) !== undefined) {
    throw new Complaint(
      `${file} is a provider's answer, which has its own pieces and ending; leave out --ending and --pieces`,
    );
  }
  const backend = new RecordedBackend(recording, { ending: ending ?? "stop", pieces });
  const declared = await declaredTools(flags);
  const bare = requestFor(codec, declared ?? []);
  const found = await partsOf(backend, bare.turn);
  const request =
    declared || dialects === "none" ? bare : requestFor(codec, supposedTools(namesWritten(found.parts, dialects)));

  if (format === "spans") {
    const tools = request.turn.tools.filter((tool) => tool.type === "function");
    const options: ReadingOptions | undefined = dialects === "none" ? undefined : { tools, dialects };
    await write(renderSpans(readParts(found, options), found.error, hasColours()));
    return;
  }
  const { httpStatus } = await playEvents(codec, request, backend, dialects, write);
  if (httpStatus !== undefined)
    printNotice(`no stream would be opened: this is an HTTP error with status ${httpStatus}`);
}

function codecNamed(name: string): Codec {
  const codec = codecs.find((known) => known.name === name);
  if (!codec) throw new Error(`there is no codec ${name}`);
  return codec;
}

/** The required fields of a request in both APIs. Each API ignores the fields of the other. */
const bareRequest: JsonObject = {
  model: "recording",
  stream: true,
  input: "",
  messages: [{ role: "user", content: "" }],
  stream_options: { include_usage: true },
};

/** A request that could have led to the recorded answer. */
function requestFor(codec: Codec, tools: JsonValue[]): ClientRequest {
  try {
    return codec.decode({ ...bareRequest, tools }, { toolOutput: Number.POSITIVE_INFINITY });
  } catch (error) {
    if (!(error instanceof TurnError)) throw error;
    throw new Complaint(`the tools cannot be used: ${error.message}`);
  }
}

async function declaredTools({ tools, tool }: ReplayFlags): Promise<JsonValue[] | undefined> {
  if (tools === undefined && tool === undefined) return undefined;
  const named = (tool ?? "").split(",").flatMap((name) => (name.trim() === "" ? [] : [toolNamed(name.trim())]));
  return [...(tools === undefined ? [] : await readToolsFile(tools)), ...named];
}

/** Without declared tools no text would be read as a call. */
function supposedTools(names: readonly string[]): JsonValue[] {
  if (names.length > 0)
    printNotice(`no tools were given; using the tool names found in the recording: ${names.join(", ")}`);
  else
    printNotice("no tools were given, and no tool names were found; name the tools with --tools FILE or --tool NAME");
  return names.map(toolNamed);
}

function readDialects(written = "auto"): Dialects {
  if (written === "auto" || written === "none") return written;
  const names = written.split(",").map((name) => name.trim());
  for (const name of names) {
    const { dialects } = gatewayParts;
    if (dialects.includes(name)) continue;
    throw new Complaint(
      `there is no dialect ${name}${didYouMean(name, dialects) || `; there are ${dialects.join(", ")}`}`,
    );
  }
  return names;
}

function readPieces(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(written)) return Number(written);
  throw new Complaint(`--pieces must be a number of characters from 1 on, found ${written}`);
}

function oneOf<T extends string>(flag: string, written: string | undefined, known: readonly T[]): T | undefined {
  const found = known.find((value) => value === written);
  if (written === undefined || found) return found;
  throw new Complaint(`${flag} must be ${known.join(" or ")}, found ${written}`);
}

function hasColours(): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM } = process.env;
  if (forced !== undefined && forced !== "") return forced !== "0";
  return process.stdout.isTTY && !refused && TERM !== "dumb";
}

function write(text: string): Promise<void> | undefined {
  if (text === "" || process.stdout.write(text)) return undefined;
  return once(process.stdout, "drain").then(() => {});
}

function printNotice(sentence: string): void {
  process.stderr.write(`toolwire: ${sentence}\n`);
}
