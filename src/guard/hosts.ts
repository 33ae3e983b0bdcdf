import { isIPv6 } from "node:net";

export interface HostCheck {
  /** Whether a request may use this host name. Several Host headers are refused: a proxy before us may have checked another one. */
  allows(host: string | readonly string[] | undefined): boolean;
}

interface Host {
  /** In lower case, without a trailing dot; IPv6 in brackets. */
  name: string;
  port: string | null;
}

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/**
 * A web page can make its own host name resolve to 127.0.0.1 and then send same-origin requests to us (DNS rebinding). These
 * requests still carry the page's host name, so only known names are accepted, whatever address we listen on.
 */
export function createHostCheck(hosts: readonly string[]): HostCheck {
  const known = new Set(loopback);
  for (const configured of hosts) {
    const host = parseHost(isIPv6(configured) ? `[${configured}]` : configured);
    if (host === null || !isName(host.name)) {
      throw new Error(
        `hosts: ${JSON.stringify(configured)} is not a host name. Write it as gateway.lan or gateway.lan:8443.`,
      );
    }
    known.add(host.port === null ? host.name : `${host.name}:${host.port}`);
  }
  return {
    allows(header) {
      const given = typeof header === "string" ? header : header?.length === 1 ? header[0] : undefined;
      const host = given === undefined ? null : parseHost(given);
      return host !== null && (known.has(host.name) || (host.port !== null && known.has(`${host.name}:${host.port}`)));
    },
  };
}

/** `name`, `name:port`, `[v6]` or `[v6]:port`; null for anything else. */
function parseHost(text: string): Host | null {
  const end = text.startsWith("[") ? text.indexOf("]") + 1 : nameEnd(text);
  if (end === 0 || !isPlain(text)) return null;
  const rest = text.slice(end);
  if (rest !== "" && !isPort(rest)) return null;
  const name = text.slice(0, end).toLowerCase();
  return {
    name: name.endsWith(".") ? name.slice(0, -1) : name,
    port: rest === "" ? null : String(Number(rest.slice(1))),
  };
}

function nameEnd(text: string): number {
  const colon = text.indexOf(":");
  return colon === -1 ? text.length : colon;
}

/** ASCII only: lower-casing maps some other letters to ASCII. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit <= 0x20 || unit >= 0x7f) return false;
  }
  return true;
}

function isPort(text: string): boolean {
  return /^:[0-9]{1,5}$/.test(text) && Number(text.slice(1)) <= 65_535;
}

/** Stricter than the check of a request, so that `https://gateway.lan` in the configuration is reported as a mistake. */
function isName(name: string): boolean {
  return name.startsWith("[") ? isIPv6(name.slice(1, -1)) : /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name);
}
