import type { PublicModel } from "../gateway/index.ts";
import { type JsonObject, TurnError } from "../turn/index.ts";
import { codexModel } from "./codex-models.ts";

/** The list in both shapes: `data` for OpenAI clients, `models` for Codex. */
export function listModels(models: readonly PublicModel[]): JsonObject {
  return { object: "list", data: models.map(openAIModel), models: models.map(codexModel) };
}

export function oneModel(models: readonly PublicModel[], id: string): JsonObject {
  const model = models.find((candidate) => candidate.id === id);
  if (model) return openAIModel(model);
  throw new TurnError("model_not_found", `There is no model "${id.slice(0, 100)}" in the list.`, { param: "model" });
}

function openAIModel({ id, backend }: PublicModel): JsonObject {
  return { id, object: "model", created: 0, owned_by: backend };
}
