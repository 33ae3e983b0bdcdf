import type { Mismatch } from "../tools/index.ts";
import { type CallItem, type Item, isObject, newId, parseJson, type Role, TurnError } from "../turn/index.ts";

/** What the model is told about its mistake when it is asked again. */
interface Correction {
  words: string;
  /** The call that the model made, if there was one. */
  call?: Pick<CallItem, "name" | "arguments"> | undefined;
}

/** Longer quotes of the model's text are truncated. */
const longestQuote = 4_000;
const mostNames = 20;
const nothing = "(I made no call that counts.)";
/** All calls of the answer are dropped together with the invalid one. */
const again = "Nothing of your last answer was used: make every call of it again, this one";

/** The model made a call that cannot be sent to the client, or made no call although one was required. */
export class InvalidCall extends TurnError {
  readonly #correction: Correction;

  constructor(message: string, correction: Correction) {
    super("tool_call_invalid", message, { failure: { by: "model" } });
    this.#correction = correction;
  }

  /**
   * The items that continue the conversation so that the model corrects itself. `said` is what the model said instead of a call.
   * `thought` is its reasoning before the call, or empty if the provider does not need that back.
   */
  correction(said: string, thought: string): Item[] {
    const { call, words } = this.#correction;
    // Some models require user and assistant messages to alternate.
    if (!call) return [message("assistant", said.trim() === "" ? nothing : cut(said)), message("user", words)];
    const callId = newId("call");
    const before: Item[] = thought === "" ? [] : [{ type: "reasoning", summary: [thought] }];
    // A provider may refuse a history with arguments that are not JSON. Then the text quotes them.
    const isJson = isObject(parseJson(call.arguments));
    const quoted = isJson ? words : `${words} The arguments were: ${cut(call.arguments)}`;
    return [
      ...before,
      { type: "call", kind: "function", callId, name: call.name, arguments: isJson ? call.arguments : "{}" },
      { type: "output", kind: "function", callId, output: quoted },
    ];
  }
}

export function argumentsInvalid(name: string, text: string, { path, message }: Mismatch): InvalidCall {
  const wrong = `${path === "" ? "the arguments" : path} ${message}`;
  return new InvalidCall(`The model called "${name}", but not as its strict schema demands: ${wrong}.`, {
    call: { name, arguments: text },
    words: `This call was not run: ${wrong}. ${again} with arguments that fit the schema of "${name}" exactly.`,
  });
}

/** A block that should have been a call. Its name is known if the reader got that far. */
export function callUnreadable(name: string | undefined, reason: string): InvalidCall {
  const which = name === undefined ? "a call" : `a call of "${name}"`;
  return new InvalidCall(`The model wrote ${which} that cannot be read: ${reason}.`, {
    words: `You wrote ${which} that cannot be read: ${reason}. It was not run. ${again} as a whole.`,
  });
}

/** `isWritten`: the call is part of the model's text, so the correction need not repeat it. */
export function unknownName(name: string, declared: Iterable<string>, isWritten: boolean): InvalidCall {
  const names = [...declared];
  const more = names.length > mostNames ? ", …" : "";
  const list = names.slice(0, mostNames).map((known) => JSON.stringify(known));
  return new InvalidCall(`The model called "${name}", which is not among the request's tools, some of them strict.`, {
    words: `There is no tool ${JSON.stringify(name)}, so nothing was run. The tools are: ${list.join(", ")}${more}.`,
    call: isWritten ? undefined : { name, arguments: "{}" },
  });
}

/** `only`: the tool that must be called, if it is a single one. */
export function missingCall(only: string | undefined): InvalidCall {
  const which = only === undefined ? "one of the tools" : `the tool ${JSON.stringify(only)}`;
  return new InvalidCall(
    "The model made none of the calls that `tool_choice` demands. Try again, or use a model that obeys it.",
    { words: `You have to call ${which} now, and you did not. Make the call.` },
  );
}

function message(role: Role, text: string): Item {
  return { type: "message", role, content: [{ type: "text", text }] };
}

function cut(text: string): string {
  return text.length <= longestQuote ? text : `${text.slice(0, longestQuote)}…`;
}
