import { streamsOf } from "./printed-answers.mjs";

/** Changes of a list of events; each gives the new list and says what it did. */
export const eventChanges = {
  cut: (random, events) => [events.slice(0, random.between(0, events.length))],
  drop: (random, events) => [events.toSpliced(random.between(0, events.length - 1), random.between(1, 3))],
  twice: (random, events) => [events.toSpliced(random.between(0, events.length), 0, random.pick(events))],
  "moved away": (random, events) => {
    const from = random.between(0, events.length - 1);
    return [events.toSpliced(from, 1).toSpliced(random.between(0, events.length - 1), 0, events[from])];
  },
  backwards: (_random, events) => [events.toReversed()],
  repeated(random, events) {
    const at = random.between(0, events.length - 1);
    const count = random.pick([10, 100, 1_000, 1_000, 5_000]);
    return [events.toSpliced(at, 0, ...Array.from({ length: count }, () => events[at])), `${count} × event ${at}`];
  },
  "other API": (random, events, api) => {
    const other = random.pick(Object.values(streamsOf(api === "chat" ? "responses" : "chat")));
    return [events.toSpliced(random.between(0, events.length), 0, ...other)];
  },
  "other answer": (random, events, api) => [
    events.toSpliced(random.between(0, events.length), 0, ...random.pick(Object.values(streamsOf(api)))),
  ],
  unknown: (random, events) => [
    events.toSpliced(random.between(0, events.length), 0, {
      event: "some.event",
      data: { type: "some.event", a: [1] },
    }),
  ],
};
