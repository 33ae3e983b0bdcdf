import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { AppServer } from "./app-server.mjs";
import { introduction } from "./introduction.mjs";
import { createFolder } from "./lodging.mjs";
import { sameLaunch } from "./same-launch.mjs";
import { items, threadOf } from "./scenarios.mjs";
import { serve } from "./serve.mjs";
import { inTurns, settling } from "./turns.mjs";

/** A program that asks Codex by itself, one like that of a gateway: what Toolwire is measured against. */
const [folder, launch] = process.argv.slice(2);
let appServer;
let cwd;

/** Asks one question; the answer is there before its thread has been dropped, as a gateway's is. */
async function ask(model, drops) {
  const began = performance.now();
  const { thread } = await appServer.request("thread/start", threadOf(model, cwd));
  const threadId = thread.id;
  const answer = { pieces: [], first: 0, total: 0 };
  let turnId;
  let isEnded = false;
  const finished = new Promise((resolve, reject) => {
    const finish = () => {
      answer.total = performance.now() - began;
      resolve();
    };
    const take = (piece) => {
      answer.first ||= performance.now() - began;
      answer.pieces.push(piece);
    };
    let hasCalls = false;
    appServer.listen(threadId, (method, params) => {
      switch (method) {
        case "turn/started":
          turnId = params.turn.id;
          return;
        case "item/agentMessage/delta":
          take(params.delta);
          return;
        case "rawResponseItem/completed":
          if (params.turnId !== turnId || params.item.type !== "function_call") return;
          hasCalls = true;
          take(params.item.arguments);
          return;
        case "rawResponse/completed":
          answer.usage = params.usage;
          if (hasCalls) finish();
          return;
        case "turn/completed":
          isEnded = true;
          if (params.turn.status === "failed") reject(new Error(params.turn.error?.message));
          else finish();
      }
    });
  });
  await appServer.request("thread/inject_items", { threadId, items });
  await appServer.request("turn/start", { threadId, input: [] });
  await finished;
  drops.push(drop(threadId, isEnded ? undefined : turnId));
  return answer;
}

async function drop(threadId, runningTurn) {
  if (runningTurn) await appServer.request("turn/interrupt", { threadId, turnId: runningTurn });
  await appServer.request("thread/unsubscribe", { threadId });
  appServer.unlisten(threadId);
}

async function batch({ model, requests, concurrency }) {
  const before = process.cpuUsage();
  const drops = [];
  const answers = await inTurns({ requests, concurrency }, () => ask(model, drops));
  await Promise.all(drops);
  await sleep(settling);
  const { user, system } = process.cpuUsage(before);
  return { cpu: user + system, answers };
}

await serve(async () => {
  const same = sameLaunch(JSON.parse(readFileSync(launch, "utf8")), folder, createFolder());
  cwd = same.cwd;
  appServer = new AppServer(same);
  await appServer.request("initialize", introduction);
  appServer.notify("initialized");
  return { started: {}, answers: { batch }, close: () => appServer.end() };
});
