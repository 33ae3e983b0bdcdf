import { isObject, type JsonObject, parseJson, type ToolName, type Turn } from "../../turn/index.ts";
import { introduce, latestOutputs, sayOutputs, type ToolOutput } from "./answer.ts";
import { type CatalogEntry, catalogEntry, isOwnTool, type OwnTool } from "./catalog.ts";
import { Evidence } from "./evidence.ts";
import { fillSchema } from "./fill.ts";
import { type PlannedCall, planCalls } from "./plan.ts";
import { lastQuestion, type Question, readQuestion, textOf } from "./question.ts";

export interface DecidedCall {
  tool: OwnTool;
  arguments: string;
}

/** What the model does in a turn, and the sentence that tells why. */
export type Decision =
  | { act: "call"; calls: [DecidedCall, ...DecidedCall[]]; why: string }
  | { act: "say"; text: string; why: string };

export function decide(turn: Turn): Decision {
  const { tools, must } = offered(turn);
  const outputs = latestOutputs(turn.input);
  const question = readQuestion(lastQuestion(turn.input));
  if (outputs.length > 0 && !must) {
    return {
      act: "say",
      text: inFormat(turn, question, outputs),
      why: "The tools have answered, so I say what they said.",
    };
  }
  const [first, ...rest] = decideCalls(question, tools.map(catalogEntry), must);
  if (first === undefined) {
    const why = tools.length > 0 ? "No word of the question speaks for one of my tools." : "I have no tool to call.";
    return { act: "say", text: inFormat(turn, question, outputs), why };
  }
  const calls: [DecidedCall, ...DecidedCall[]] = turn.settings.parallelToolCalls === false ? [first] : [first, ...rest];
  return { act: "call", calls, why: first.why };
}

/** The tools that the turn's choice leaves to be called, and whether one has to be. */
function offered(turn: Turn): { tools: OwnTool[]; must: boolean } {
  const tools = turn.tools.filter(isOwnTool);
  const { choice } = turn;
  const named = (names: readonly ToolName[]): OwnTool[] =>
    tools.filter((tool) => names.some(({ kind, name }) => kind === tool.type && name === tool.name));
  switch (choice.mode) {
    case "none":
      return { tools: [], must: false };
    case "required":
      return { tools, must: tools.length > 0 };
    case "forced": {
      const forced = named([choice.tool]);
      return { tools: forced, must: forced.length > 0 };
    }
    case "allowed": {
      const allowed = named(choice.tools);
      return { tools: allowed, must: choice.required && allowed.length > 0 };
    }
    case "auto":
    case "hosted":
      return { tools, must: false };
  }
}

function decideCalls(
  question: Question,
  catalog: readonly CatalogEntry[],
  must: boolean,
): (DecidedCall & { why: string })[] {
  const seen = new Set<string>();
  return planCalls(question, catalog, must).flatMap((planned) => {
    const { tool } = planned.entry;
    const text = tool.type === "custom" ? freeText(planned.evidence) : jsonArguments(tool, planned.evidence);
    const key = JSON.stringify([tool.type, tool.name, text]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ tool, arguments: text, why: reasonFor(question, planned) }];
  });
}

function jsonArguments(tool: Extract<OwnTool, { type: "function" }>, evidence: Evidence): string {
  const value = fillSchema(tool.parameters ?? {}, evidence, { strict: tool.strict === true });
  return JSON.stringify(isObject(value) ? value : {});
}

function freeText(evidence: Evidence): string {
  return evidence.takeQuote("own") ?? (textOf(evidence.question, evidence.span).trim() || "example");
}

function reasonFor(question: Question, { entry, words }: PlannedCall): string {
  const { name } = entry.tool;
  const said = question.tokens.filter((token) => words.includes(token.stem)).map((token) => token.text);
  const quoted = [...new Set(said)].slice(0, 4).map((word) => `"${word}"`);
  if (quoted.length > 0) return `The question says ${quoted.join(", ")}, which speaks for ${name}.`;
  return words.includes(name) ? `The question names ${name}.` : `I have to call a tool, and ${name} comes nearest.`;
}

/** The answer in words, or in the JSON that the turn asks for. */
function inFormat(turn: Turn, question: Question, outputs: readonly ToolOutput[]): string {
  const mayCall = turn.choice.mode !== "none";
  const words = outputs.length > 0 ? sayOutputs(outputs) : introduce(turn.tools.filter(isOwnTool), mayCall);
  if (turn.format?.type === "json_object") return JSON.stringify({ answer: words });
  if (turn.format?.type !== "json_schema") return words;
  const said = outputs.length > 0 ? readQuestion(outputs.map((output) => output.text).join("\n")) : question;
  const evidence = new Evidence(said, { start: 0, end: said.tokens.length }, new Set());
  return JSON.stringify(
    fillSchema(turn.format.schema ?? {}, evidence, { strict: turn.format.strict === true, facts: factsOf(outputs) }),
  );
}

/** What the tools answered as JSON, by name. */
function factsOf(outputs: readonly ToolOutput[]): JsonObject {
  const entries = outputs.map((output) => parseJson(output.text)).filter(isObject);
  return Object.fromEntries(entries.flatMap((facts) => Object.entries(facts)));
}
