import Database from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import { migrations } from "../../src/store/migrations.ts";
import type { Operation, Row } from "../../src/store/operation.ts";
import { operations } from "../../src/store/operations/index.ts";
import { placedId } from "../../src/store/placed-ids.ts";
import { turnRows } from "../../src/store/turn-rows.ts";
import { finished, type KeptTurn, newId } from "../../src/turn/index.ts";
import { ann, limit, message, output, shows, turn } from "./contract/turns.ts";

const database = new Database(":memory:");
for (const { sqlite } of migrations) for (const text of sqlite) database.exec(text);
afterAll(() => {
  database.close();
});

/** Runs an operation, and returns the plans of its statements that look at every row of a table. */
function scansOf(operation: Operation<unknown>): string[] {
  const scans: string[] = [];
  let step = operation.next();
  while (!step.done) {
    const { sql, values } = step.value;
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[];
    // What is in the statement itself is no table. `probes` has one row a process.
    const found = plan.filter(({ detail }) =>
      /^SCAN (?!chain|wanted|first|summed|\(subquery|probes|CONSTANT|\d+ CONSTANT)/.test(detail),
    );
    for (const { detail } of found) scans.push(`${detail}: ${sql}`);
    const prepared = database.prepare(sql);
    const rows = prepared.reader ? (prepared.all(values) as Row[]) : [];
    if (!prepared.reader) prepared.run(values);
    step = operation.next(rows);
  }
  return scans;
}

/** Runs an operation, and returns its result. */
function resultOf<Result>(operation: Operation<Result>): Result {
  let step = operation.next();
  while (!step.done) step = operation.next(database.prepare(step.value.sql).all(step.value.values) as Row[]);
  return step.value;
}

const keep = (each: KeptTurn) => scansOf(operations.keepTurn.run(finished(turnRows(each))));
const image = shows({ type: "image", url: `data:${"A".repeat(2_000)}` }, "i1");
const repeat = { digest: "d", within: null };
const name = { owner: ann, api: "responses" };
const read = { owner: ann, previous: null, name: null, repeat: null, items: [], limit, at: 1_000_000 };

const placed = placedId("msg", { conversation: newId("conv"), position: 0, at: 0 });

describe("a statement looks up rows by an index", () => {
  it.each<[string, () => string[]]>([
    ["when a turn begins a conversation", () => keep(turn("r1", "one", { input: [image] }))],
    ["when a turn continues", () => keep(turn("r2", "two", { previous: "r1", output: [output("c", "x")] }))],
    ["when a turn forks", () => keep(turn("f2", "two", { previous: "r1" }))],
    ["when a turn has a name", () => keep(turn("c1", "x", { api: "chat", conversation: "talk", repeat }))],
    ["when a turn is repeated", () => keep(turn("c2", "x", { api: "chat", conversation: "talk", repeat }))],
    [
      "when a turn repeats none",
      () => keep(turn("c3", "y", { api: "chat", conversation: "talk", repeat: { ...repeat, digest: "e" } })),
    ],
    ["when a turn repeats an old one", () => keep(turn("c4", "x", { api: "chat", conversation: "talk", repeat }))],
    ["when a completion is kept once", () => keep(turn("c5", "x", { api: "chat", repeat }))],
    [
      "when a history is read",
      () => scansOf(operations.readContext.run({ ...read, previous: "f2", items: ["i1", "msg_in_r2", placed] })),
    ],
    ["when a named history is read", () => scansOf(operations.readContext.run({ ...read, name: "talk", repeat }))],
    ["when an answer is read", () => scansOf(operations.readAnswer.run({ ...name, id: "r1" }))],
    [
      "when an input is read",
      () => scansOf(operations.readInput.run({ ...name, id: "f2", direction: "up", from: 1, count: 1 })),
    ],
    [
      "when an item of an input is looked for",
      () => {
        const place = { conversation: newId("conv"), position: 0, at: 0 };
        return scansOf(operations.findInput.run({ ...name, id: "f2", item: "i1", placed: place }));
      },
    ],
    [
      "when answers are listed",
      () =>
        scansOf(
          operations.listAnswers.run({
            ...name,
            limit: 2,
            order: "desc",
            after: "r1",
            model: "demo",
            metadata: [["a", "b"]],
          }),
        ),
    ],
    ["when metadata are changed", () => scansOf(operations.setMetadata.run({ ...name, id: "r1", metadata: "{}" }))],
    [
      "when records are written",
      () =>
        scansOf(
          operations.writeRecords.run({
            owner: ann,
            records: [{ key: "k", value: "1", expiresAt: 1 }],
            deleted: ["x", "y"],
          }),
        ),
    ],
    ["when records are read", () => scansOf(operations.readRecords.run({ owner: ann, keys: ["k", "l"], now: 0 }))],
    ["when an answer is deleted", () => scansOf(operations.removeAnswer.run({ ...name, id: "r1" }))],
    [
      "when all of a fork is deleted",
      () => [
        ...scansOf(operations.removeAnswer.run({ ...name, id: "r2" })),
        ...scansOf(operations.removeAnswer.run({ ...name, id: "f2" })),
      ],
    ],
  ])("%s", (_, scans) => {
    expect(scans()).toEqual([]);
  });

  it("and a batch of what is old, too", () => {
    keep(turn("r9", "nine", { input: [image, message("user", "x", "i")] }));
    // The oldest conversations are read in the order of an index, up to the batch's end.
    const scans = scansOf(operations.expire.run({ before: 2_000_000, now: 2_000_000 }));
    expect(scans.filter((scan) => !scan.includes("USING"))).toEqual([]);
  });

  it("and the last turns of a long conversation, too", () => {
    const input = Array.from({ length: 2_100 }, (_, at) => message("user", "x", `long_${at}`));
    keep(turn("long1", "x", { conversation: "long" }));
    keep(turn("long2", "x", { conversation: "long", input }));
    const scans = [1, 2].flatMap(() => scansOf(operations.expire.run({ before: 2_000_000, now: 2_000_000 })));
    expect(scans.filter((scan) => !scan.includes("USING"))).toEqual([]);
    expect(database.prepare("SELECT 1 FROM responses WHERE id LIKE 'long%'").all([])).toEqual([]);
  });
});

describe("a list with a filter looks at a limited number of answers", () => {
  const owner = "o".repeat(64);
  const addAnswers = (first: number, last: number, model: string) =>
    database
      .prepare(
        `WITH RECURSIVE n (at) AS (SELECT CAST(? AS INTEGER) UNION ALL SELECT at + 1 FROM n WHERE at < ?)
        INSERT INTO responses SELECT ?, 'c' || at, 'chat', 'none', NULL, 0, 0, 0, 'completed', ?, 0, NULL, at, '{}', '{}' FROM n`,
      )
      .run([first, last, owner, model]);
  const list = (after: string | null) => {
    const filter = { model: "rare", metadata: [] };
    const read = resultOf(operations.listAnswers.run({ owner, api: "chat", limit: 2, order: "asc", after, ...filter }));
    return read && { ids: read.answers.map(({ response }) => response.id), hasMore: read.hasMore };
  };

  it("and says that there may be more, if a client can go on behind the page", () => {
    addAnswers(1, 9, "usual");
    addAnswers(10, 10, "rare");
    addAnswers(11, 20_005, "usual");
    addAnswers(20_006, 20_006, "rare");
    addAnswers(20_007, 40_100, "usual");
    addAnswers(40_101, 40_101, "rare");
    expect(list(null)).toEqual({ ids: ["c10"], hasMore: true });
    expect(list("c10")).toEqual({ ids: ["c20006"], hasMore: true });
    expect(list("c20006")).toEqual({ ids: [], hasMore: false });
    expect(list("c20200")).toEqual({ ids: ["c40101"], hasMore: false });
  });
});

it("many items are looked up by a few statements", () => {
  const ids = Array.from({ length: 2_000 }, (_, at) =>
    placedId("msg", { conversation: newId("conv"), position: at, at: 0 }),
  );
  const operation = operations.readContext.run({ ...read, items: ids });
  let statements = 0;
  for (let step = operation.next(); !step.done; step = operation.next([])) statements++;
  expect(statements).toBeLessThan(20);
});
