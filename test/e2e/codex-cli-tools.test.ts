import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { objectsOf } from "../support/folded.ts";
import { conversation } from "../support/provider.ts";
import { afterHeading, modelOf, type Step, see } from "./support/codex-cli-model.ts";
import { cliStage, models, ways } from "./support/codex-cli-stage.ts";

const server = fileURLToPath(new URL("support/codex-cli-mcp.mjs", import.meta.url));
/** A server of tools, as a user adds one to the CLI. */
const tables = `[mcp_servers.desk]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(server)}]
`;

const title = 'Plants "日本" \\ 😀';
const note = `The note “${title}”: water the 🌵 "twice"`;
const finding: Step = () => [{ tool: "find_note", input: { title } }];
const repeating: Step = ({ outputs }) => `It says: ${afterHeading(outputs.at(-1))}`;

const stage = cliStage();

/** The tools of the how-manieth request, as the model was told of them. */
function toolsOf(index: number) {
  const request = stage.provider.requests[index];
  if (!request) throw new Error(`The provider was not sent ${index + 1} requests`);
  return see({ ...request, model: "", count: 1 }).tools;
}

describe.each(ways)(
  "tools that the Codex CLI shows only to a model that searches for them, before a %s backend",
  (way) => {
    it("are found, called and answered", async () => {
      stage.script = modelOf(() => [{ tool: "tool_search", input: { query: "find a note" } }], finding, repeating);
      const run = await stage.run(`${way}/${models.patches}`, "What does my note say?", { tables });
      expect(run.errors).toEqual([]);
      expect(run.items("mcp_tool_call")).toMatchObject([
        { server: "desk", tool: "find_note", arguments: { title }, status: "completed" },
      ]);
      expect(run.said).toEqual([`It says: ${note}`]);
      expect(run.code).toBe(0);

      const [before, after, last] = [toolsOf(0), toolsOf(1), toolsOf(2)].map((tools) => tools.map(({ name }) => name));
      expect(before).not.toContainEqual(expect.stringContaining("find_note"));
      const name = way === "responses" ? "find_note" : "mcp__desk__find_note";
      expect(after).toContain(name);
      expect(last).toContain(name);
      const request = stage.provider.requests[2] ?? expect.fail();
      const [found] = see({ ...request, model: "", count: 1 }).outputs;
      expect(found).toContain(name);
      // A Responses backend has what was found where the search has its output, and needs it nowhere else.
      if (way === "responses") expect(request.body.tools).toEqual(stage.provider.requests[0]?.body.tools);
    });
  },
);

describe("tools that the Codex CLI groups in a namespace, before a chat backend", () => {
  it("are functions of their own, and calls of them come back to where they belong", async () => {
    stage.script = modelOf(finding, repeating);
    const run = await stage.run(`chat/${models.unknown}`, "What does my note say?", { tables });
    expect(run.errors).toEqual([]);
    expect(run.items("mcp_tool_call")).toMatchObject([{ server: "desk", tool: "find_note", arguments: { title } }]);
    expect(run.said).toEqual([`It says: ${note}`]);
    expect(run.code).toBe(0);
    const offered = toolsOf(0).filter(({ name }) => name.startsWith("mcp__desk__"));
    expect(offered).toHaveLength(2);
    expect(offered[0]?.description).toContain("The notes on the user's desk.");
    const { body } = stage.provider.requests[1] ?? expect.fail();
    expect(conversation(body).filter(({ kind }) => kind !== "message")).toMatchObject([
      { kind: "call", id: "call_0_0", name: "mcp__desk__find_note", arguments: JSON.stringify({ title }) },
      { kind: "output", id: "call_0_0", text: expect.stringContaining(note) },
    ]);
  });

  it("can be called also where their names are too long for a function", async () => {
    const oldest = (names: { name: string }[]) =>
      names.find(({ name }) => name.includes("find_the_oldest"))?.name ?? "missing";
    stage.script = modelOf(({ tools }) => [{ tool: oldest(tools), input: { title } }], repeating);
    const run = await stage.run(`chat/${models.unknown}`, "What does my oldest note say?", { tables });
    expect(oldest(toolsOf(0))).toMatch(/^[A-Za-z0-9_-]{64}$/);
    expect(run.items("mcp_tool_call")).toMatchObject([
      { tool: "find_the_oldest_of_all_the_notes_that_anybody_has_ever_written_under_this_title", status: "completed" },
    ]);
    expect(run.said).toEqual([`It says: The oldest note “${title}”: water the 🌵 "twice"`]);
    // The model is told of its call under the name that it used.
    const { body } = stage.provider.requests[1] ?? expect.fail();
    const [call] = objectsOf(objectsOf(body.messages).find((message) => message.tool_calls)?.tool_calls);
    expect(call).toMatchObject({ function: { name: oldest(toolsOf(0)) } });
  });
});
