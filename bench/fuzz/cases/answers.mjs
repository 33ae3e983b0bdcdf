import { answerTransports } from "./answer-transports.mjs";
import { cutBytes, mutateBytes } from "./bytes.mjs";
import { eventChanges } from "./event-changes.mjs";
import { bomb, mutateJson } from "./json.mjs";
import { lineChanges } from "./line-changes.mjs";
import { meaningChanges } from "./meaning-changes.mjs";
import { eventStream, plainJson, print, streamsOf, wholesOf } from "./printed-answers.mjs";
import { sizeUpTo } from "./sizes.mjs";

/**
 * What the provider sends in a case: `{ status, headers, pieces, pause, ending, label }`. The pieces are written one by one, with the
 * event loop between them, or with a pause in milliseconds.
 */

/** A good answer, in the form that the request asked for. */
export function validAnswer(random, api, isStream) {
  const list = isStream ? streamsOf(api) : wholesOf(api);
  const name = random.pick(Object.keys(list));
  const text = isStream ? list[name].map(print).join("") : JSON.stringify(list[name]);
  const pieces = cutBytes(random, Buffer.from(text), 40);
  return { status: 200, headers: isStream ? eventStream : plainJson, pieces, pause: 0, ending: "end", label: name };
}

/** An answer in which something is wrong. */
export function oddAnswer(random, api, isStream) {
  const labels = [];
  const note = (label) => labels.push(label);
  const asStream = random.chance(0.12) ? !isStream : isStream;
  if (asStream !== isStream)
    note(asStream ? "a stream instead of a whole answer" : "a whole answer instead of a stream");
  const text = asStream ? oddStream(random, api, note) : oddWhole(random, api, note);
  let bytes = Buffer.from(text, "utf8");
  if (random.chance(0.18)) {
    const changed = mutateBytes(random, bytes);
    bytes = changed.bytes;
    note(changed.label);
  }
  const answer = { status: 200, headers: asStream ? eventStream : plainJson, pieces: [], pause: 0, ending: "end" };
  if (random.chance(0.2)) oddTransport(random, answer, note);
  answer.pieces = cutBytes(random, bytes);
  if (answer.pieces.length < 30 && random.chance(0.2)) answer.pause = random.between(1, 8);
  return { ...answer, label: labels.join(", ") || "as it is" };
}

function oddStream(random, api, note) {
  let events = random.pick(Object.values(streamsOf(api)));
  const level = random.weighted([
    [35, "events"],
    [30, "meaning"],
    [35, "none"],
  ]);
  if (level === "meaning") {
    const name = random.pick(Object.keys(meaningChanges));
    const [changed, label = name] = meaningChanges[name](random, api);
    events = changed;
    note(label);
  } else if (level === "events") {
    for (let times = random.between(1, 3); times > 0 && events.length > 0; times--) {
      const name = random.pick(Object.keys(eventChanges));
      const [changed, label = name] = eventChanges[name](random, events, api);
      events = changed;
      note(label);
    }
  }
  const changedAt =
    level !== "meaning" && random.chance(0.5) && events.length > 0 ? random.between(0, events.length - 1) : -1;
  let text = events
    .map((event, index) => {
      if (index !== changedAt || typeof event.data === "string") return print(event);
      const { text: json, label } = mutateJson(random, event.data, { most: 16_000_000 });
      note(`event ${index}: ${label}`);
      return print({ ...event, data: json });
    })
    .join("");
  if (random.chance(0.25)) {
    const name = random.pick(Object.keys(lineChanges));
    const [changed, label = name] = lineChanges[name](random, text);
    text = changed;
    note(label);
  }
  return text;
}

function oddWhole(random, api, note) {
  if (random.chance(0.08)) {
    const { text, label } = bomb(random, sizeUpTo(random, 31_000_000));
    note(label);
    return random.chance(0.5) ? text : text.slice(0, Math.ceil(text.length / 2));
  }
  const list = wholesOf(api);
  const name = random.pick(Object.keys(list));
  const { text, label } = mutateJson(random, list[name], { most: 16_000_000 });
  note(`${name}: ${label}`);
  return text;
}

function oddTransport(random, answer, note) {
  const name = random.pick(Object.keys(answerTransports));
  note(answerTransports[name](random, answer));
}
