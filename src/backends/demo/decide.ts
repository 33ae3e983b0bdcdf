import { isObject, type Turn } from "../../turn/index.ts";
import { introduce, latestOutputs, sayOutputs, type ToolOutput, textsOf } from "./answer.ts";
import { chooseTools, type OwnTool, type Thing } from "./choose.ts";
import { Evidence } from "./evidence.ts";
import { fillSchema } from "./fill.ts";
import { type Question, readQuestion, textOf } from "./question.ts";
import type { Allowance } from "./schema.ts";

export interface DecidedCall {
  tool: OwnTool;
  arguments: string;
}

/** What the model does in a turn, and a sentence that explains why. */
export type Decision = { calls: DecidedCall[]; why: string } | { text: string; why: string };

const maxCalls = 8;
/** The budget of steps through schemas, for all calls of a turn. */
const steps = 2_000;

export function decide(turn: Turn): Decision {
  const { tools, must } = offered(turn);
  const outputs = latestOutputs(turn.input);
  const question = readQuestion(lastQuestion(turn));
  const say = (why: string): Decision => ({ text: answer(turn, question, outputs), why });
  if (outputs.length > 0 && !must) return say("The tools have answered, so I say what they said.");
  const things = chooseTools(question, tools, must);
  const [first] = things;
  if (!first)
    return say(tools.length > 0 ? "No word of the question speaks for one of my tools." : "I have no tool to call.");
  const allowance = { left: steps };
  const calls = things.slice(0, maxCalls).flatMap((thing) => callsFor(thing, question, allowance));
  const different = new Map(calls.map((call) => [JSON.stringify([call.tool.name, call.arguments]), call]));
  const most = turn.settings.parallelToolCalls === false ? 1 : maxCalls;
  return { calls: [...different.values()].slice(0, most), why: reasonFor(first) };
}

function lastQuestion(turn: Turn): string {
  const message = turn.input.findLast((item) => item.type === "message" && item.role === "user");
  return message?.type === "message" ? textsOf(message.content).join("\n") : "";
}

/** The tools that the turn's choice permits, and whether one must be called. */
function offered({ tools, choice }: Turn): { tools: OwnTool[]; must: boolean } {
  const { mode } = choice;
  const names =
    mode === "none" ? [] : mode === "forced" ? [choice.tool] : mode === "allowed" ? choice.tools : undefined;
  const left = tools
    .filter((tool) => tool.type !== "hosted")
    .filter((tool) => names?.some(({ kind, name }) => kind === tool.type && name === tool.name) ?? true);
  const isDemanded = mode === "required" || mode === "forced" || (mode === "allowed" && choice.required);
  return { tools: left, must: isDemanded && left.length > 0 };
}

/**
 * "The weather in Paris and Rome" is one task for a tool that takes one city. So the call is repeated while a list has an unused
 * member that would replace the one before it.
 */
function callsFor({ tool, own, span }: Thing, question: Question, allowance: Allowance): DecidedCall[] {
  const used = new Set<number>();
  let evidence = new Evidence(question, span, own);
  const calls = [{ tool, arguments: argumentsFor(tool, evidence, allowance) }];
  for (let isMore = true; isMore && calls.length < maxCalls; ) {
    isMore = evidence.openLists().some(({ claim, next }) => {
      const without = new Set(used);
      for (let at = claim.start; at < claim.end; at++) without.add(at);
      const again = new Evidence(question, span, own, without);
      const text = argumentsFor(tool, again, allowance);
      if (!again.has(next) || allowance.left <= 0) return false;
      calls.push({ tool, arguments: text });
      for (const at of without) used.add(at);
      evidence = again;
      return true;
    });
  }
  return calls;
}

function argumentsFor(tool: OwnTool, evidence: Evidence, allowance: Allowance): string {
  if (tool.type === "custom") {
    const quote = evidence.take((piece) => piece.kind === "quote");
    return quote?.text ?? (textOf(evidence.question, evidence.span) || "example");
  }
  const { parameters: root = {}, strict = false } = tool;
  const value = fillSchema({ root, evidence, allowance, strict });
  return JSON.stringify(isObject(value) ? value : {});
}

function reasonFor({ tool: { name }, words }: Thing): string {
  if (words.length === 0) return `I have to call a tool, and ${name} comes nearest.`;
  if (words.includes(name)) return `The question names ${name}.`;
  const quoted = words.slice(0, 4).map((word) => `"${word}"`);
  return `The question says ${quoted.join(", ")}, which speaks for ${name}.`;
}

/** The answer as text, or as the JSON that the turn asks for. */
function answer(turn: Turn, question: Question, outputs: readonly ToolOutput[]): string {
  const words = outputs.length > 0 ? sayOutputs(outputs) : introduce(turn);
  if (turn.format?.type === "json_object") return JSON.stringify({ answer: words });
  if (turn.format?.type !== "json_schema") return words;
  const said = outputs.length > 0 ? readQuestion(outputs.map((output) => output.text).join("\n")) : question;
  const { schema: root = {}, strict = false } = turn.format;
  const evidence = new Evidence(said, { start: 0, end: said.pieces.length }, new Set());
  return JSON.stringify(fillSchema({ root, evidence, allowance: { left: steps }, strict }));
}
