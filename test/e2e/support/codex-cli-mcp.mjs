// An MCP server over stdio, as small as one can be: it has two tools, one of them with a name that no provider takes as a function's.
import { createInterface } from "node:readline";

const inputSchema = {
  type: "object",
  properties: { title: { type: "string", description: "Of the note" } },
  required: ["title"],
};
const tools = [
  { name: "find_note", description: "Finds a note of the user's by its title", inputSchema },
  {
    name: "find_the_oldest_of_all_the_notes_that_anybody_has_ever_written_under_this_title",
    description: "Finds the oldest note",
    inputSchema,
  },
];

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "desk", version: "1" },
    instructions: "The notes on the user's desk.",
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: { title } }) => {
    const age = name === "find_note" ? "note" : "oldest note";
    return { content: [{ type: "text", text: `The ${age} “${title}”: water the 🌵 "twice"` }] };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params ?? {}) ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
