import type { IncomingMessage } from "node:http";
import { pathOf } from "./api-paths.ts";

/** What a request's target said beside a path that can be read. Most requests have no entry here. */
interface OddTarget {
  /** The host and port of a target that is a complete URL. */
  authority: string | null;
  isReadable: boolean;
}

const odd = new WeakMap<IncomingMessage, OddTarget>();

/**
 * The request's path and query. Routes, keys and metrics go by the path, but a target may also be a complete URL or `*`, and
 * Fastify answers a path that it cannot decode without any hook: such a path is escaped here and refused by the hooks.
 */
export function pathTarget(request: IncomingMessage): string {
  const target = request.url ?? "/";
  if (target.startsWith("/") && !target.includes("%")) return target;
  const { authority, url } = splitTarget(target, request.method);
  const isReadable = url !== null && isDecodable(pathOf(url));
  if (authority !== null || !isReadable) odd.set(request, { authority, isReadable });
  return isReadable ? url : (url ?? "/").replaceAll("%", "%25");
}

export function isReadable(request: IncomingMessage): boolean {
  return odd.get(request)?.isReadable !== false;
}

/** The host and port in the target itself, which count more than the Host header. */
export function authorityOf(request: IncomingMessage): string | null {
  return odd.get(request)?.authority ?? null;
}

function splitTarget(target: string, method: string | undefined): { authority: string | null; url: string | null } {
  if (target.startsWith("/")) return { authority: null, url: target };
  if (target === "*") return { authority: null, url: method === "OPTIONS" ? "/" : null };
  const scheme = /^https?:\/\//i.exec(target)?.[0];
  if (scheme === undefined || target.includes("#")) return { authority: null, url: null };
  const end = target.slice(scheme.length).search(/[/?]/);
  const path = end === -1 ? "/" : target.slice(scheme.length + end);
  const authority = target.slice(scheme.length, target.length - (end === -1 ? 0 : path.length));
  return { authority, url: path.startsWith("/") ? path : `/${path}` };
}

function isDecodable(path: string): boolean {
  try {
    decodeURI(path);
    return true;
  } catch {
    return false;
  }
}
