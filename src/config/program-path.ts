import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";

/** Whether the program is in the PATH. */
export function isProgramInPath(name: string, { PATH = "" }: Environment): boolean {
  const folders = PATH.split(delimiter).filter(isAbsolute);
  const files = process.platform === "win32" ? [`${name}.exe`, `${name}.cmd`] : [name];
  return folders.some((folder) => files.some((file) => isProgram(join(folder, file))));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
