import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { play, readRecording } from "./play.mjs";
import { remoteImage, wrongItem, wrongTool } from "./refusals.mjs";
import { runSteps } from "./steps.mjs";
import { Turn } from "./turn.mjs";

/** Fields of `thread/start` that need the capability experimentalApi. */
const experimentalFields = [
  ...["allowProviderModelFallback", "runtimeWorkspaceRoots", "permissions", "historyMode", "projectId"],
  ...["environments", "dynamicTools", "selectedCapabilityRoots", "experimentalRawEvents"],
];

/** The real program answers nearly everything that it does not like with this code. */
const invalidRequest = -32600;

class Refusal extends Error {}

/** What the app-server answers, method by method. */
export class AppServer {
  /** Answers nothing any more, as a program does that is stuck. */
  isFrozen = false;
  #scene;
  #note;
  #leave;
  #write;
  #turns;
  #capabilities;
  #threads = new Map();
  #overrides;
  /** Server requests have ids of their own, from 0. */
  #asked = new Map();
  #nextRequest = 0;
  /** One line after the other: an answer that takes time holds the next one up, as a queue does. */
  #line = Promise.resolve();

  constructor({ scene, turnsBefore, note, leave, write }) {
    this.#scene = scene;
    this.#note = note;
    this.#leave = leave;
    this.#write = write;
    this.#turns = turnsBefore;
    this.#overrides = new Map(Object.entries(scene.replies).map(([method, reply]) => [method, [reply].flat()]));
  }

  receive(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#note({ kind: "garbage", line: line.slice(0, 1_000) });
    }
    const { id, method, params, result, error } = message;
    if (method === undefined) return this.#replied(id, { result, error });
    this.#note({ kind: id === undefined ? "notification" : "request", id, method, params });
    if (id === undefined || this.isFrozen) return;
    this.#line = this.#line.then(() => this.#answer(id, method, params ?? {}));
  }

  send(message) {
    if (!this.isFrozen) this.#write(`${JSON.stringify(message)}\n`);
  }

  sendLine(line) {
    this.#write(`${line}\n`);
  }

  notify(method, params) {
    if (this.#capabilities?.optOutNotificationMethods?.includes(method)) return;
    this.send({ method, params, emittedAtMs: Date.now() });
  }

  /** A request to the client: its id, and what the client replies. */
  request(method, params) {
    const id = this.#nextRequest++;
    const reply = new Promise((resolve) => this.#asked.set(id, { method, resolve }));
    this.send({ method, id, params });
    return { id, reply };
  }

  leave(code) {
    this.#leave(code, "scene");
  }

  #replied(id, reply) {
    const asked = this.#asked.get(id);
    this.#note({ kind: "reply", id, method: asked?.method ?? null, ...reply });
    this.#asked.delete(id);
    asked?.resolve(reply);
  }

  async #answer(id, method, params) {
    const override = this.#overrides.get(method);
    const told = override && (override.length > 1 ? override.shift() : override[0]);
    if (told === "silence") return;
    if (told && told !== "usual") return this.send({ ...told, id });
    const answer = this.#methods[method];
    try {
      if (!answer || this.#isTooOldFor(method)) throw new Refusal(unknownVariant(method, Object.keys(this.#methods)));
      if (method !== "initialize" && !this.#capabilities) throw new Refusal("Not initialized");
      await answer(params, (result) => this.send({ id, result }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.send({ error: { code: invalidRequest, message: error.message }, id });
    }
  }

  #isTooOldFor(method) {
    return method === "thread/inject_items" && isBefore(this.#scene.version, [0, 121]);
  }

  #methods = {
    initialize: async ({ clientInfo, capabilities }, reply) => {
      if (this.#capabilities) throw new Refusal("Already initialized");
      await sleep(this.#scene.startDelay);
      this.#capabilities = capabilities ?? {};
      const { name, version } = clientInfo;
      reply({
        userAgent: `${name}/${this.#scene.version} (Debian 12.0.0; x86_64) unknown (${name}; ${version})`,
        codexHome: process.env.CODEX_HOME ?? "~/.codex",
        platformFamily: "unix",
        platformOs: "linux",
      });
      this.notify("configWarning", { summary: "Codex could not find bubblewrap on PATH.", details: null });
      this.notify("remoteControl/status/changed", { status: "disabled", environmentId: null });
    },
    "config/read": (_, reply) => reply({ config: this.#scene.config, origins: {}, layers: null }),
    "account/read": (_, reply) => reply({ workspaceRouting: null, ...this.#scene.account }),
    "account/rateLimits/read": () => refuse("codex account authentication required to read rate limits"),
    "modelProvider/capabilities/read": (_, reply) => reply({ imageGeneration: true, webSearch: true }),
    "model/list": ({ includeHidden }, reply) => {
      const models = this.#scene.models ?? recordedModels();
      reply({ data: models.filter(({ hidden }) => includeHidden || !hidden), nextCursor: null });
    },
    "thread/start": (params, reply) => this.#startThread(params, reply),
    "thread/inject_items": (params, reply) => this.#inject(params, reply),
    "thread/unsubscribe": ({ threadId }, reply) => {
      const thread = this.#threads.get(threadId);
      if (!thread) return reply({ status: "notLoaded" });
      reply({ status: thread.isSubscribed ? "unsubscribed" : "notSubscribed" });
      thread.isSubscribed = false;
    },
    "thread/loaded/list": (_, reply) => reply({ data: [...this.#threads.keys()], nextCursor: null }),
    "thread/delete": ({ threadId }) => refuse(`thread is not persisted and cannot be deleted: ${threadId}`),
    "turn/start": (params, reply) => this.#startTurn(params, reply),
    "turn/interrupt": ({ threadId }, reply) => {
      const { turn } = this.#thread(threadId);
      if (!turn) refuse("no active turn to interrupt");
      turn.interrupt(() => reply({}));
    },
  };

  #startThread(params, reply) {
    const field = experimentalFields.find((name) => params[name] !== undefined && params[name] !== null);
    if (field && !this.#capabilities.experimentalApi) {
      refuse(`thread/start.${field} requires experimentalApi capability`);
    }
    const tools = (params.dynamicTools ?? []).flatMap(({ type, name, tools, ...tool }) =>
      type === "namespace" ? tools.map((each) => ({ ...each, namespace: name })) : [{ name, ...tool }],
    );
    const wrong = wrongTool(tools);
    if (wrong) refuse(wrong);
    const { model = this.#scene.config.model, modelProvider = this.#scene.config.model_provider, ephemeral } = params;
    const id = timeOrderedId();
    const raw = params.experimentalRawEvents === true;
    this.#threads.set(id, {
      id,
      raw,
      model,
      tools,
      injected: [],
      echoes: [],
      total: {},
      isSubscribed: true,
      turn: undefined,
    });
    const about = { id, ephemeral: ephemeral ?? false, status: { type: "idle" } };
    const thread = { ...about, modelProvider, model, path: null, cliVersion: this.#scene.version, turns: [] };
    reply({
      thread,
      model,
      modelProvider,
      reasoningEffort: null,
      cwd: params.cwd ?? "/scratch",
      approvalPolicy: "never",
    });
    this.notify("thread/started", { thread: about });
  }

  #inject({ threadId, items }, reply) {
    const thread = this.#thread(threadId);
    if (items.length === 0) refuse("items must not be empty");
    const wrong = items.map(wrongItem).find(Boolean);
    if (wrong) refuse(wrong);
    thread.injected.push(...items);
    // A system message and an item of an unknown type are dropped without a word.
    thread.echoes.push(...items.filter(({ type, role }) => knownItems.has(type) && role !== "system"));
    reply({});
    if (!this.#scene.lateEchoes) this.#echo(thread);
  }

  /** With raw events on, what was injected comes back as if it belonged to a turn of its own. */
  #echo({ id: threadId, raw, isSubscribed, echoes }) {
    for (const item of echoes.splice(0)) {
      if (!raw || !isSubscribed) continue;
      this.notify("rawResponseItem/completed", { threadId, turnId: "auto-compact-0", item });
    }
  }

  #startTurn({ threadId, input }, reply) {
    const thread = this.#thread(threadId);
    if (input.some(({ type, url }) => type === "image" && !url?.startsWith("data:"))) refuse(remoteImage);
    // A running turn is steered by what is started on its thread.
    if (thread.turn) return reply({ turn: thread.turn.about("inProgress") });
    const number = this.#turns++;
    const script = chooseScript(this.#scene.turns, number, [...thread.injected, ...input]);
    const turn = new Turn({ server: this, thread, id: timeOrderedId(), input });
    thread.turn = turn;
    turn.run(async () => {
      const recording = script.play === undefined ? undefined : readRecording(script.play);
      turn.open(recording?.opening ?? openings[this.#scene.opening], () => reply({ turn: turn.about("inProgress") }));
      this.#echo(thread);
      if (recording) await play(turn, recording, script.pace ?? 0);
      else await runSteps(turn, script.steps, script.pace ?? 0);
    });
  }

  #thread(threadId) {
    return this.#threads.get(threadId) ?? refuse(`thread not found: ${threadId}`);
  }
}

/** In both orders the real program has been seen. */
const openings = {
  replied: ["warning", "reply", "thread/status/changed", "turn/started", "userMessage"],
  notified: ["warning", "thread/status/changed", "turn/started", "reply", "userMessage"],
};

const knownItems = new Set(["message", "reasoning", "function_call", "function_call_output"]);

function chooseScript(turns, number, items) {
  if (Array.isArray(turns)) return turns[Math.min(number, turns.length - 1)];
  // Where calls are records in a prompt, the closing brackets are escaped.
  const names = [...JSON.stringify(items).matchAll(/\[\[([^\]"\\]+)/g)].map(([, name]) => name);
  const name = names.findLast((each) => each in turns) ?? "default";
  return turns[name] ?? { steps: [{ fail: { message: `The scene has no turn "${name}".` } }] };
}

function recordedModels() {
  const { messages } = readRecording("i-model-list-account");
  return messages.find(({ msg }) => msg.result?.data).msg.result.data;
}

function refuse(message) {
  throw new Refusal(message);
}

function unknownVariant(method, known) {
  const names = known.map((name) => `\`${name}\``).join(", ");
  return `Invalid request: unknown variant \`${method}\`, expected one of ${names}`.padEnd(4_000, ", `…`");
}

function isBefore(version, [major, minor]) {
  const [ownMajor, ownMinor] = version.split(".").map(Number);
  return ownMajor < major || (ownMajor === major && ownMinor < minor);
}

/** UUIDs of version 7 begin with the time. */
function timeOrderedId() {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
