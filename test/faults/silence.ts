import type { Api } from "../support/api.ts";
import { both, type Fault, type Pieces, type Timeout, timedOut } from "./fault.ts";
import { event, framesOf, rome, upTo } from "./wire.ts";

const halfText = (api: Api) => upTo(framesOf(api, { say: "Half a sentence." }), "Half a");
const halfCall = (api: Api) => upTo(framesOf(api, { say: "Now:", calls: [rome] }), "loca");
const opening = (api: Api) => framesOf(api, {}).slice(0, 1);

/** The same again and again, for longer than any of the timeouts; a piece comes in time for the shortest. */
function forever(piece: string): Pieces {
  return [...Array.from({ length: 60 }, () => [piece, { wait: 50 }]).flat(), "hang"];
}

/** An event that says nothing. */
const idle = (api: Api) =>
  event(api, api === "chat" ? { choices: [{ index: 0, delta: {} }] } : { type: "response.in_progress" });

type Row = [name: string, timed: NonNullable<Fault["timed"]>, pieces: (api: Api) => Pieces, after?: { text: string }];

/** A whole answer is its first content. */
const untilContent: Timeout = "first_content";

const streams: Row[] = [
  ["falls silent after its headers", "idle", () => ["hang"]],
  ["falls silent after its first event", "idle", (api) => [...opening(api), "hang"]],
  ["falls silent in the middle of an event", "idle", (api) => [...opening(api), 'data: {"ch', "hang"]],
  ["falls silent in the middle of its text", "idle", (api) => [...halfText(api), "hang"], { text: "Half a" }],
  ["falls silent in the middle of a call", "idle", (api) => [...halfCall(api), "hang"], { text: "Now:" }],
  ["sends its headers and no content", untilContent, () => ["hang"]],
  ["begins, and gives no content", untilContent, (api) => [...opening(api), "hang"]],
  ["shows that it is alive, but says nothing", untilContent, () => forever(": still here\n\n")],
  [
    "goes on for longer than a turn may take",
    "total",
    (api) => [...halfText(api), ...forever(idle(api))],
    { text: "Half a" },
  ],
  ["falls silent for longer than a turn may take", "total", (api) => [...halfCall(api), "hang"], { text: "Now:" }],
];

const json = { "content-type": "application/json" };

export const silenceFaults: Fault[] = [
  ...streams.map(
    ([name, timed, pieces, after]): Fault => ({ name, timed, stream: both(pieces), ends: timedOut(after) }),
  ),
  {
    name: "falls silent in the middle of a whole answer",
    timed: "idle",
    reply: both(() => ({ bytes: ['{"id":"x",', "hang"], headers: json })),
    ends: timedOut(),
  },
  {
    name: "drips a whole answer for longer than a turn may take",
    timed: "total",
    reply: both(() => ({ bytes: ["{", ...forever(" ")], headers: json })),
    ends: timedOut(),
  },
];
