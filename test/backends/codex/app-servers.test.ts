import { afterEach, expect, it } from "vitest";
import { createScene, type Scene } from "../../support/app-server/index.ts";
import { ask, requestFor, startGateway } from "../../support/gateway.ts";

const scenes: Scene[] = [];
afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.dispose();
});

it("two programs for one home are started one after the other", async () => {
  const turns = [[{ say: "Fine." }, { usage: true }]] as const;
  const [one, two] = await Promise.all(
    [0, 1].map(() => createScene({ turns: [...turns.map((steps) => [...steps])], startDelay: 300 })),
  );
  if (!one || !two) throw new Error("no scene");
  scenes.push(one, two);
  const backend = ({ command }: Scene) => ({ kind: "codex", command, home: one.home });
  const gateway = await startGateway({ backends: { one: backend(one), two: backend(two) } });
  const answers = await Promise.all(
    ["one", "two"].map((model) => ask(gateway, "chat", requestFor("chat", { model, prompt: "Hello." }))),
  );
  expect(answers.map(({ text }) => text)).toEqual(["Fine.", "Fine."]);
  await gateway.close();
  const lives = await Promise.all([one, two].map(async (scene) => (await scene.entries("start")).map(({ at }) => at)));
  const [first = [], second = []] = lives;
  const isApart = Math.max(...first) < Math.min(...second) || Math.max(...second) < Math.min(...first);
  expect(isApart).toBe(true);
});
