import { parseJson } from "../../turn/index.ts";

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const literals = new Set(["true", "false", "null"]);
const pythonLiterals = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
]);

/** Whether the word is a JSON number or literal. */
export function isJsonWord(word: string): boolean {
  return literals.has(word) || number.test(word);
}

/** The JSON equivalent of a Python literal. */
export function fromPython(word: string): string | undefined {
  return pythonLiterals.get(word);
}

/** Keys that no tool means, and that pollute prototypes in a program that copies them carelessly. */
export function isPoison(key: string): boolean {
  if (key.length > 64) return false;
  const plain = plainKey(key);
  return plain === "__proto__" || plain === "constructor" || plain === "prototype";
}

/** Decodes the JSON escapes of a key. */
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

/** A character of an unquoted key. */
export function isKeyCharacter(character: number): boolean {
  return isWordCharacter(character) || character === 0x5f || character === 0x24;
}
