export type Path = readonly PropertyKey[];

/** One thing to mend in a configuration, on one line. */
export interface Mistake {
  /** The key: `backends.chutes.timeouts.idle`. Empty when it is about the file as a whole. */
  path: string;
  message: string;
}

/** A configuration that cannot be used, with everything that is wrong with it. */
export class ConfigError extends Error {
  readonly mistakes: readonly Mistake[];
  /** The configuration's file; null when there is none. */
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

/** A path as a person writes it: `keys[0].hash`. */
export function formatPath(path: Path): string {
  return path.map(formatStep).join("").replace(/^\./, "");
}

function formatStep(step: PropertyKey): string {
  if (typeof step === "number") return `[${step}]`;
  const name = String(step);
  return /^[\w$@:/-][\w$@:/.-]{0,99}$/.test(name) ? `.${name}` : `[${quote(name)}]`;
}

/** An address may hold a password or a token. */
const addressWithSecret = /^[a-z+]+:.*[@?]/is;

function isSecret(path: Path, secretKeys: ReadonlySet<PropertyKey>): boolean {
  // A gateway key may be written without a name, as an entry of the list itself.
  return path.some((step) => secretKeys.has(step)) || (path[0] === "keys" && path.length === 2);
}

/** What was found at a path, in words that are safe to print: values under `secretKeys` are not shown. */
export function describeFound(path: Path, value: unknown, secretKeys: ReadonlySet<PropertyKey>): string {
  const secret = isSecret(path, secretKeys) || (typeof value === "string" && addressWithSecret.test(value));
  if (secret || value === "" || value === null || typeof value === "object") return describeKind(value);
  return typeof value === "string" ? quote(value) : String(value);
}

/** The kind of a value, for where it may be a secret in the wrong place. */
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
