import { createHash } from "node:crypto";
import { isService, kindOf } from "./kinds/index.ts";
import { isLoopback } from "./loopback.ts";
import { isMapping } from "./mapping.ts";
import { formatPath, type Mistake, quote } from "./mistake.ts";
import { didYouMean } from "./nearest.ts";
import { usualKeyName } from "./resolve.ts";
import type { Settings } from "./schema.ts";
import { turnShape } from "./shared-shape.ts";
import { formatSize } from "./size.ts";
import { outlivesProcess, storeKind } from "./store-url.ts";
import type { Parts } from "./unbuilt.ts";

export interface Checked {
  settings: Settings;
  /** The values before validation, for the names of entries that are invalid. */
  written: unknown;
  /** Whether a mistake under this key is already known. */
  mistaken: (key: keyof Settings) => boolean;
  parts: Parts;
}

/** Checks that concern several keys together. */
export function crossCheck(checked: Checked): Mistake[] {
  return [
    ...checkListen(checked),
    ...checkKeys(checked),
    ...checkModels(checked),
    ...checkFixedModels(checked),
    ...checkDefaultModel(checked),
    ...checkFallbacks(checked),
    ...checkDialects(checked),
    ...checkTurnTwice(checked),
    ...checkMemory(checked),
    ...checkStore(checked),
  ];
}

/** A store that outlives the process may hold keys. Whether it does is known only where it is opened. */
function checkListen({ settings, mistaken }: Checked): Mistake[] {
  const { host } = settings.listen;
  if (isLoopback(host) || settings.keys.length > 0 || mistaken("keys")) return [];
  if (outlivesProcess(settings.store.url) || mistaken("store")) return [];
  const message = `${quote(host)} can be reached from other machines, so keys are needed; set keys, or listen on 127.0.0.1`;
  return [{ path: "listen.host", message }];
}

/** A body that never fits would be refused with the advice to try again. */
function checkMemory({ settings, mistaken }: Checked): Mistake[] {
  const { memory, body } = settings.limits;
  if (mistaken("limits") || memory >= body) return [];
  return [{ path: "limits.memory", message: `${formatSize(memory)} is less than limits.body (${formatSize(body)})` }];
}

/** The driver would report it like a server that cannot be reached, and only at the start. */
function checkStore({ settings, mistaken }: Checked): Mistake[] {
  const { url } = settings.store;
  if (mistaken("store") || storeKind(url) !== "postgres" || URL.canParse(url)) return [];
  const message = "not a valid address; write special characters of the password as % codes, for example # as %23";
  return [{ path: "store.url", message }];
}

function checkKeys({ settings }: Checked): Mistake[] {
  const mistakes: Mistake[] = [];
  const places = new Map<string, string>();
  const once = (thing: string, path: string, message: (first: string) => string) => {
    const first = places.get(thing);
    if (first === undefined) places.set(thing, path);
    else mistakes.push({ path, message: message(first) });
  };
  settings.keys.forEach(({ name, key, hash }, index) => {
    const path = `keys[${index}]`;
    // Default names must be unique too, because requests are counted by name.
    const named = name === undefined ? path : `${path}.name`;
    once(`name ${name ?? usualKeyName(index)}`, named, (first) => `the same name as ${first}`);
    const digest =
      hash?.toLowerCase() ??
      `sha256:${createHash("sha256")
        .update(key ?? "")
        .digest("hex")}`;
    once(digest, path, (first) => `the same key as ${first}`);
  });
  return mistakes;
}

/** Includes invalid backends: a mistake in a backend is not a mistake of the models that use it. */
function backendNames({ settings, written }: Checked): string[] {
  const backends = isMapping(written) && isMapping(written.backends) ? written.backends : settings.backends;
  return Object.keys(backends);
}

function checkModels(checked: Checked): Mistake[] {
  const names = backendNames(checked);
  return Object.entries(checked.settings.models)
    .filter(([, { backend }]) => !names.includes(backend))
    .map(([name, { backend }]) => ({
      path: formatPath(["models", name, "backend"]),
      message: `there is no backend ${quote(backend)}${didYouMean(backend, names)}`,
    }));
}

/** A kind with fixed models accepts no other model names. */
function checkFixedModels({ settings, parts }: Checked): Mistake[] {
  return Object.entries(settings.models).flatMap(([name, { backend: target, model }]) => {
    const backend = settings.backends[target];
    const fixed = backend && kindOf(backend).fixedModels;
    if (!fixed || !model) return [];
    const known = [fixed.main, ...fixed.variants(parts.dialects)];
    if (known.includes(model)) return [];
    const message = `the ${backend.kind} has no model ${quote(model)}; expected ${fixed.expected}`;
    return [{ path: formatPath(["models", name, "model"]), message: message + didYouMean(model, known) }];
  });
}

function checkDefaultModel({ settings, mistaken }: Checked): Mistake[] {
  const name = settings.default_model;
  if (name === null || mistaken("models") || mistaken("backends")) return [];
  return checkModelName(settings, name, "default_model");
}

function checkFallbacks({ settings, mistaken }: Checked): Mistake[] {
  if (mistaken("models") || mistaken("backends")) return [];
  return Object.entries(settings.models).flatMap(([model, { fallback }]) =>
    fallback.flatMap((name, index) => {
      const path = formatPath(["models", model, "fallback", index]);
      if (name === model) return [{ path, message: "a model cannot stand in for itself" }];
      return checkModelName(settings, name, path);
    }),
  );
}

/** A default model or fallback must be a name that a request could use. */
function checkModelName(settings: Settings, name: string, path: string): Mistake[] {
  const backends = Object.entries(settings.backends);
  const services = backends.filter(([, backend]) => isService(backend));
  const named = backends.filter(([, backend]) => kindOf(backend).ownName !== undefined).map(([backend]) => backend);
  const slash = name.indexOf("/");
  const known =
    Object.hasOwn(settings.models, name) ||
    named.includes(name) ||
    (slash > 0 && slash < name.length - 1 && Object.hasOwn(settings.backends, name.slice(0, slash))) ||
    services.length === 1;
  if (known) return [];
  const candidates = [...Object.keys(settings.models), ...named, ...services.map(([service]) => `${service}/…`)];
  const message = `there is no model ${quote(name)}; expected one of models, or backend/model`;
  return [{ path, message: message + didYouMean(name, candidates) }];
}

function checkDialects({ settings, parts }: Checked): Mistake[] {
  const places = [
    ...Object.entries(settings.backends).map(([name, { dialects }]) => ({ path: ["backends", name], dialects })),
    ...Object.entries(settings.models).map(([name, { dialects }]) => ({ path: ["models", name], dialects })),
  ];
  return places.flatMap(({ path, dialects }) => {
    if (!Array.isArray(dialects)) return [];
    if (dialects.length === 0) {
      return [
        {
          path: formatPath([...path, "dialects"]),
          message: "expected at least one dialect; for none of them, write none",
        },
      ];
    }
    return dialects
      .map((dialect, index) => ({ dialect, path: formatPath([...path, "dialects", index]) }))
      .filter(({ dialect }) => !parts.dialects.includes(dialect))
      .map(({ dialect, path }) => ({
        path,
        message: `there is no dialect ${quote(dialect)}${didYouMean(dialect, parts.dialects)}`,
      }));
  });
}

function checkTurnTwice({ settings }: Checked): Mistake[] {
  const keys = Object.keys(turnShape).filter((key): key is keyof typeof turnShape => key in turnShape);
  return (["backends", "models"] as const).flatMap((section) =>
    Object.entries(settings[section]).flatMap(([name, target]) =>
      keys
        .filter((key) => target[key] !== undefined && target.turn[key] !== undefined)
        .map((key) => ({
          path: formatPath([section, name, key]),
          message: `is also set in turn.${key}; keep one of them`,
        })),
    ),
  );
}
