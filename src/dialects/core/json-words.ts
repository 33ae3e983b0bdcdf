import { parseJson } from "../../turn/index.ts";

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const literals = new Set(["true", "false", "null"]);
const pythonLiterals = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
]);

/** A number or a literal as JSON has it. */
export function isJsonWord(word: string): boolean {
  return literals.has(word) || number.test(word);
}

/** What a literal of Python is in JSON. */
export function fromPython(word: string): string | undefined {
  return pythonLiterals.get(word);
}

/** Keys that no tool means, and that change every object of a program which copies them carelessly. */
export function isPoison(key: string): boolean {
  if (key.length > 64) return false;
  const plain = plainKey(key);
  return plain === "__proto__" || plain === "constructor" || plain === "prototype";
}

/** What a key says whose escapes are those of JSON. */
export function plainKey(key: string): string {
  const plain = key.includes("\\") ? parseJson(`"${key}"`) : key;
  return typeof plain === "string" ? plain : key;
}

export function isWordCharacter(character: number): boolean {
  return (
    (character >= 0x30 && character <= 0x39) ||
    (character >= 0x61 && character <= 0x7a) ||
    (character >= 0x41 && character <= 0x5a) ||
    character === 0x2d ||
    character === 0x2b ||
    character === 0x2e
  );
}

/** A character of a key that is written without quotes. */
export function isKeyCharacter(character: number): boolean {
  return isWordCharacter(character) || character === 0x5f || character === 0x24;
}
