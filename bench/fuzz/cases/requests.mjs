import { modelNames } from "../run/settings.mjs";
import { mutateBytes } from "./bytes.mjs";
import { bomb, mutateJson } from "./json.mjs";
import { requestTransports } from "./request-transports.mjs";
import { isPlain, isPlainHeader, methods, oddHeaders, oddMethods, oddPaths, paths } from "./routes.mjs";
import { complete, sent, shortPatience } from "./sent-requests.mjs";
import { repeated, sizeUpTo } from "./sizes.mjs";
import { pathOf, requestsOf } from "./valid-requests.mjs";

/** A good request to an API. */
export function validRequest(random, { api, model, isStream, from = Object.keys(requestsOf(api)) }) {
  const name = random.pick(from);
  const body = { model, ...requestsOf(api)[name], stream: isStream };
  return { name, body, ...complete("POST", pathOf(api), Buffer.from(JSON.stringify(body))), label: name };
}

/** A request in which something is wrong. */
export function oddRequest(random) {
  const api = random.pick(["chat", "responses"]);
  const isStream = random.chance(0.5);
  const model = random.chance(0.95)
    ? random.pick(modelNames)
    : random.pick(["", "nobody", "chat/x", "chat/", "/", "chat-aut", "a".repeat(2_000), "demo"]);
  const valid = validRequest(random, { api, model, isStream });
  const kind = random.weighted([
    [62, "json"],
    [8, "bytes"],
    [12, "route"],
    [18, "transport"],
  ]);
  return { api, isStream, ...oddKinds[kind](random, api, valid) };
}

const oddKinds = {
  json(random, api, { body, name }) {
    if (random.chance(0.06)) {
      const { text, label } = bomb(random, sizeUpTo(random, 31_000_000));
      return {
        ...complete("POST", pathOf(api), Buffer.from(random.chance(0.7) ? text : text.slice(0, text.length / 2))),
        label,
      };
    }
    const { text, label } = mutateJson(random, body);
    return { ...sent(random, complete("POST", pathOf(api), Buffer.from(text))), label: `${api} ${name}: ${label}` };
  },
  bytes(random, api, { body, name }) {
    const { bytes, label } = mutateBytes(random, Buffer.from(JSON.stringify(body)));
    return { ...sent(random, complete("POST", pathOf(api), bytes)), label: `${api} ${name}: ${label}` };
  },
  route(random, _api, { body }) {
    const path = random.weighted([
      [60, () => random.pick(paths)],
      [30, () => random.pick(oddPaths)],
      [5, () => `/${repeated(random.pick(["a", "/", "%41", "a/"]), random.size(10, 20_000))}`],
      [5, () => `${random.pick(paths)}?${repeated(random.pick(["a=b&", "a", "%20", "[]"]), random.size(10, 12_000))}`],
    ])();
    const method = random.chance(0.7) ? random.pick(methods) : random.pick(oddMethods);
    const headers = random.weighted([
      [45, []],
      [20, [["content-type", null]]],
      [35, [random.pick(oddHeaders)]],
    ]);
    const withBody = random.chance(0.5);
    const request = complete(method, path, Buffer.from(withBody ? JSON.stringify(body) : ""), headers);
    const isWellFormed =
      method !== "" && path.startsWith("/") && path.length < 8_000 && isPlain(path) && headers.every(isPlainHeader);
    return {
      ...request,
      isWellFormed,
      patience: isWellFormed ? 20_000 : shortPatience * 4,
      label: `${method} ${path.slice(0, 40)} ${headers.flat().join(": ").slice(0, 40)}`,
    };
  },
  transport(random, api, { body, name }) {
    const names = Object.keys(requestTransports);
    const chosen = random.pick(names);
    const request = requestTransports[chosen](random, pathOf(api), Buffer.from(JSON.stringify(body)));
    return { ...request, label: `${api} ${name}: ${request.label ?? chosen}` };
  },
};
