import { readFileSync } from "node:fs";
import { isObject, parseJson } from "../turn/index.ts";

/** The version in package.json, which is in the parent folder of both `src` and `dist`. */
export const version = readVersion();

function readVersion(): string {
  const manifest = parseJson(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return isObject(manifest) && typeof manifest.version === "string" ? manifest.version : "0.0.0";
}
