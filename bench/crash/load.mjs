import { setTimeout as sleep } from "node:timers/promises";

/** Sends turns with many clients at once until the gateway is killed at a random moment. */
export async function loadAndKill({ plan, provider, client, gateway, random, workers }) {
  const load = { isOver: false, completed: 0, onCompleted() {} };
  const conversations = plan.conversations.slice();
  const running = Array.from({ length: workers }, () => {
    const conversation = conversations.shift();
    return work(load, client, () => nextTurn(plan, conversation));
  });
  await moment({ load, provider, random });
  load.isOver = true;
  await gateway.kill();
  provider.onAnswered = () => {};
  await Promise.all(running);
}

function nextTurn(plan, conversation) {
  const { open } = conversation ?? {};
  if (open?.key) return again(open);
  return plan.next(conversation);
}

/** A turn that its client sends once more, since it did not hear of its end. */
function again(turn) {
  turn.id = undefined;
  turn.received = "";
  turn.isRefused = false;
  return turn;
}

async function work(load, client, next) {
  while (!load.isOver) {
    const turn = next();
    await send(client, turn);
    if (turn.outcome !== "completed") continue;
    load.completed++;
    load.onCompleted();
  }
}

export async function send(client, turn) {
  await client.send(turn);
  const { conversation } = turn;
  if (conversation && turn.outcome === "completed" && !turn.isRefused) {
    conversation.turns.push(turn);
    conversation.open = undefined;
  }
}

/** Resolves at any time, when a client has just heard of an end, or when the gateway has just heard of one. */
function moment({ load, provider, random }) {
  const anyTime = () => sleep(random.between(20, 900));
  const nth = random.between(1, 120);
  const later = random.weighted([
    [1, 0],
    [2, random.between(1, 12)],
  ]);
  const happened = (subscribe) => {
    let left = nth;
    return new Promise((resolve) => {
      subscribe(() => {
        if (--left === 0) later === 0 ? resolve() : setTimeout(resolve, later);
      });
      setTimeout(resolve, 3_000);
    });
  };
  return random.pick([
    anyTime,
    () => happened((listener) => (load.onCompleted = listener)),
    () => happened((listener) => (provider.onAnswered = listener)),
  ])();
}

/** Sends once more what can be repeated, and continues some of what was stored. */
export async function resume({ plan, since, client, random }) {
  const last = plan.turns.slice(since);
  const repeated = last.filter(({ key, outcome, conversation }) => key && outcome === "cut" && !conversation);
  await Promise.all(repeated.map((turn) => send(client, again(turn))));
  const continued = last.filter((turn) => turn.mayContinue && random.chance(0.1));
  const turns = continued.map((previous) => Object.assign(plan.next(), { previous, api: "responses", key: undefined }));
  await Promise.all(turns.map((turn) => send(client, turn)));
}
