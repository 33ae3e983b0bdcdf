/** What an app-server supports, by its version. */
export interface Abilities {
  /** As the app-server reports it, for example `0.166.0`; `undefined` if it does not. */
  version: string | undefined;
  /** Client tools, and the raw events that show when the model's response is complete. */
  native: boolean;
  /** A conversation can be injected into a thread. */
  injects: boolean;
  /** A turn can start without a new user message. */
  startsEmpty: boolean;
}

/** The lowest versions in which each was seen to work. */
const since = { native: [0, 146], injects: [0, 121], startsEmpty: [0, 133] } as const;

/** `userAgent` comes from the result of `initialize`: `toolwire/0.166.0 (Debian 12.0.0; x86_64) …`. */
export function abilitiesOf(userAgent: string): Abilities {
  const found = /^[^/]*\/(\d+)\.(\d+)\.(\d+)/.exec(userAgent);
  if (!found) return { version: undefined, native: true, injects: true, startsEmpty: true };
  const [, major = "", minor = "", patch = ""] = found;
  const isSince = ([first, second]: readonly [number, number]) =>
    Number(major) > first || (Number(major) === first && Number(minor) >= second);
  return {
    version: `${major}.${minor}.${patch}`,
    native: isSince(since.native),
    injects: isSince(since.injects),
    startsEmpty: isSince(since.startsEmpty),
  };
}

export const oldestNative = since.native.join(".");
