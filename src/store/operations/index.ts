import { evict, expire } from "./expire.ts";
import { exportAll } from "./export-pages.ts";
import { importRows } from "./import-rows.ts";
import { keepTurn } from "./keep-turn.ts";
import { addKey, keys, revokeKey } from "./keys.ts";
import { listAnswers } from "./list-answers.ts";
import { probe } from "./probe.ts";
import { readAnswer, setMetadata } from "./read-answer.ts";
import { readContext } from "./read-context.ts";
import { findInput, readInput } from "./read-input.ts";
import { readRecords, writeRecords } from "./records.ts";
import { removeAnswer } from "./remove-answer.ts";
import { stats } from "./stats.ts";
import { addUsage, usage } from "./usage.ts";

/** Every operation of the store. */
export const operations = {
  keepTurn,
  readContext,
  readAnswer,
  readInput,
  findInput,
  listAnswers,
  setMetadata,
  removeAnswer,
  readRecords,
  writeRecords,
  keys,
  addKey,
  revokeKey,
  addUsage,
  usage,
  stats,
  exportAll,
  importRows,
  expire,
  evict,
  probe,
};

export function isWrite(name: keyof typeof operations): boolean {
  return operations[name].writes;
}
