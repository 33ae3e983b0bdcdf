import { kinds } from "../options.mjs";
import { Random } from "../random.mjs";
import { apiOf, modelNames } from "../run/settings.mjs";
import { oddAnswer, validAnswer } from "./answers.mjs";
import { knownCase, knownCases } from "./known.mjs";
import { oddRequest, validRequest } from "./requests.mjs";
import { textAnswer } from "./texts.mjs";

/** The requests whose tools the texts of a model call. */
const withTools = ["tools", "tools", "history", "forced", "required", "allowed"];

/**
 * Case `number` of a seed: what the client sends, and what the provider answers. Both are made from the seed and the number alone, so
 * each of the two processes makes its half by itself.
 */
export function createCase({ seed, number, only, forms }) {
  if (number < knownCases.length && (only ?? knownCases[number].kind) === knownCases[number].kind)
    return knownCase(number);
  const random = (what) => new Random(seed, number, what);
  const shared = random("shared");
  const kind =
    only ??
    shared.weighted([
      [3, kinds[0]],
      [4, kinds[1]],
      [4, kinds[2]],
    ]);
  const model = shared.pick(modelNames);
  const client = shared.pick(["chat", "responses"]);
  const isStream = shared.chance(0.75);
  return {
    number,
    kind,
    request() {
      if (kind === "request") return oddRequest(random("request"));
      const from = kind === "text" ? withTools.filter((name) => client === "chat" || name !== "legacy") : undefined;
      const request = validRequest(random("request"), { api: client, model, isStream, ...(from && { from }) });
      const left = random("leaves");
      const times = left.chance(0.04) ? left.between(2, 12) : 1;
      const leaves = left.chance(0.04) ? { afterBytes: left.size(1, 100_000) } : null;
      return {
        ...request,
        api: client,
        isStream,
        isValid: true,
        leaves,
        times,
        label: `${client}${isStream ? " stream" : ""} ${model} ${request.name}`,
      };
    },
    /** `api` is the provider's; `isAskedToStream` is what the gateway asked for. */
    answer(api, isAskedToStream) {
      const own = random(`answer ${api}`);
      if (kind === "request") return validAnswer(own, api, isAskedToStream);
      return kind === "answer" ? oddAnswer(own, api, isAskedToStream) : textAnswer(own, api, isAskedToStream, forms);
    },
    providerApi: apiOf(model),
  };
}
