/** What an app-server of some version can be asked for. */
export interface Abilities {
  /** As it says itself, such as `0.166.0`; nothing where it does not say. */
  version: string | undefined;
  /** Tools of the client, and the raw events that tell when the model's response is complete. */
  native: boolean;
  /** A conversation can be put into a thread. */
  injects: boolean;
  /** A turn can begin without a new message of the user. */
  startsEmpty: boolean;
}

/** The lowest versions in which each was seen to work. */
const since = { native: [0, 146], injects: [0, 121], startsEmpty: [0, 133] } as const;

/** `userAgent` is what `initialize` answers: `toolwire/0.166.0 (Debian 12.0.0; x86_64) …`. */
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
