export interface Origins {
  /** Whether a page of this origin may read our answers and open a WebSocket. The caller handles requests without an origin. */
  allows(origin: string | undefined): boolean;
}

/** The form that browsers send: a scheme, a host and an optional port; no user, path or list. */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@,\\*]+$/;
/** ASCII only: lower-casing maps some other letters to ASCII. */
const plain = /^[!-~]+$/;
const port = /:[0-9]{1,5}$/;
const defaultPorts: Record<string, string> = { http: ":80", https: ":443", ws: ":80", wss: ":443" };

/**
 * Patterns are complete origins, `scheme://host:*` (any port, or none), `*` (any origin, but not `null`) and `null`. They are
 * compared as whole strings, never as regular expressions, so a lookalike cannot match a part of one.
 */
export function createOrigins(patterns: readonly string[]): Origins {
  const exact = new Set<string>();
  const anyPort = new Set<string>();
  let any = false;
  for (const pattern of patterns) {
    const written = pattern.toLowerCase().replace(/\/$/, "");
    if (written === "*") any = true;
    else if (written === "null") exact.add(written);
    else if (written.endsWith(":*") && isOrigin(written.slice(0, -2))) anyPort.add(written.slice(0, -2));
    else if (isOrigin(written)) exact.add(withoutDefaultPort(written));
    else
      throw new Error(
        `cors.origins: ${JSON.stringify(pattern)} is not an origin. Write scheme://host, scheme://host:port, scheme://host:* or *.`,
      );
  }
  return {
    allows(given) {
      if (given === undefined || !plain.test(given)) return false;
      const asked = given.toLowerCase();
      if (exact.has(asked)) return true;
      if (asked === "null" || !isOrigin(asked)) return false;
      return any || anyPort.has(asked.replace(port, "")) || exact.has(withoutDefaultPort(asked));
    },
  };
}

function isOrigin(text: string): boolean {
  return text.length <= 512 && origin.test(text);
}

/** Browsers omit the default port, but a configuration may contain it. */
function withoutDefaultPort(text: string): string {
  const usual = defaultPorts[text.slice(0, text.indexOf(":"))];
  return usual !== undefined && text.endsWith(usual) ? text.slice(0, -usual.length) : text;
}
