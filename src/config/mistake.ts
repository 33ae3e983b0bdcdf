export type Path = readonly PropertyKey[];

/** One mistake in a configuration, described on one line. */
export interface Mistake {
  /** The key, for example `backends.chutes.timeouts.idle`. Empty if the mistake concerns the whole file. */
  path: string;
  message: string;
}

/** An invalid configuration, with all of its mistakes. */
export class ConfigError extends Error {
  readonly mistakes: readonly Mistake[];
  /** The configuration file; null if there is none. */
  readonly file: string | null;

  constructor(mistakes: readonly Mistake[], file: string | null = null) {
    super(mistakes.map(mistakeLine).join("\n"));
    this.name = "ConfigError";
    this.mistakes = mistakes;
    this.file = file;
  }
}

export function mistakeLine({ path, message }: Mistake): string {
  return path === "" ? message : `${path}: ${message}`;
}

/** Formats a path: `keys[0].hash`. */
export function formatPath(path: Path): string {
  return path.map(formatStep).join("").replace(/^\./, "");
}

function formatStep(step: PropertyKey): string {
  if (typeof step === "number") return `[${step}]`;
  const name = String(step);
  return /^[\w$@:/-][\w$@:/.-]{0,99}$/.test(name) ? `.${name}` : `[${quote(name)}]`;
}

/** A URL may contain a password or a token. */
const addressWithSecret = /^[a-z+]+:.*[@?]/is;

function isSecret(path: Path, secretKeys: ReadonlySet<PropertyKey>): boolean {
  // A gateway key may be a plain string in the list.
  return path.some((step) => secretKeys.has(step)) || (path[0] === "keys" && path.length === 2);
}

/** Describes the value at a path for a message. Values under `secretKeys` are not shown. */
export function describeFound(path: Path, value: unknown, secretKeys: ReadonlySet<PropertyKey>): string {
  const secret = isSecret(path, secretKeys) || (typeof value === "string" && addressWithSecret.test(value));
  if (secret || value === "" || value === null || typeof value === "object") return describeKind(value);
  return typeof value === "string" ? quote(value) : String(value);
}

/** Describes the type of a value only, because the value may be a misplaced secret. */
export function describeKind(value: unknown): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value === "string") return value === "" ? "an empty text" : "a text";
  return `a ${typeof value}`;
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
