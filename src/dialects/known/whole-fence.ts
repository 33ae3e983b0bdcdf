import { tryEach } from "../core/alternatives.ts";
import type { Dialect } from "../dialect.ts";

/** A message that is one code fence with only calls in it, in any dialect: the calls are meant as calls, not as examples. */
export const wholeFence: Dialect = {
  name: "fenced",
  models: "any",
  openers: ["```", "~~~"],
  closers: [],
  bare: true,
  internal: true,
  *read(block) {
    const more = yield* block.run(block.opener === "```" ? /`/ : /~/, 8);
    const fence = block.opener + more;
    yield* block.run(/[\w-]/, 32);
    yield* block.run(/[ \t\r]/, 8);
    yield* block.expect("\n");
    for (;;) {
      yield* block.space();
      if (block.callCount > 0) {
        if (yield* block.maybe(fence)) break;
        if ((yield* block.peek()) === -1) {
          block.repaired("missing_close");
          break;
        }
      }
      const calls = yield* block.beginnings();
      const before = block.callCount;
      // A message that must be whole is held completely, so each block in it can be tried independently.
      block.accepted = false;
      if (calls.length > 0) yield* tryEach(block, calls);
      if (block.callCount === before) block.fail("there is more in the fence than calls");
    }
    block.accept();
  },
  write: (calls) => {
    const items = calls.map(({ name, arguments: text }) => `  {"name": ${JSON.stringify(name)}, "arguments": ${text}}`);
    return `\`\`\`json\n[\n${items.join(",\n")}\n]\n\`\`\``;
  },
};
