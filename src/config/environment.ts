import { isMapping, type Mapping } from "./mapping.ts";
import { formatPath, type Mistake, type Path, quote } from "./mistake.ts";
import { tooDeep } from "./yaml.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Deeper than any key of the schema. It also stops the recursion in a mapping that contains itself. */
const deepest = 24;
/** YAML aliases can expand a small file to a huge value. */
const mostValues = 100_000;

const reference = /\$(\$\{)|\$\{([^}]*)\}?/g;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export interface Expanded {
  value: unknown;
  mistakes: Mistake[];
  /** The paths of values that could not be expanded. */
  failed: Path[];
}

/**
 * Returns a copy in which every `${NAME}` is replaced by the variable's value. This happens after YAML parsing, so that a variable
 * is always plain text and never YAML syntax. `$${` is an escaped `${`.
 */
export function expandEnvironment(value: unknown, environment: Environment): Expanded {
  const mistakes: Mistake[] = [];
  const failed: Path[] = [];
  let count = 0;

  const fail = (path: Path, message: string) => {
    mistakes.push({ path: formatPath(path), message });
    failed.push(path);
  };

  const copy = (from: unknown, path: Path): unknown => {
    if (path.length > deepest || ++count > mostValues) throw tooDeep();
    if (typeof from === "string") return substitute(from, path);
    if (Array.isArray(from)) return from.map((entry, index) => copy(entry, [...path, index]));
    if (!isMapping(from)) return from;
    if (!isPlain(from)) {
      fail(path, "expected a plain value, found a tagged one");
      return null;
    }
    return copyMapping(from, path);
  };

  const copyMapping = (from: Mapping, path: Path): Mapping => {
    const result: Mapping = {};
    for (const [name, entry] of Object.entries(from)) {
      // Assigning this key would change the prototype of the copy.
      if (name === "__proto__") mistakes.push({ path: formatPath([...path, name]), message: "unknown key" });
      else result[name] = copy(entry, [...path, name]);
    }
    return result;
  };

  const substitute = (from: string, path: Path): string =>
    from.replace(reference, (whole, escaped: string | undefined, name: string | undefined) => {
      if (escaped !== undefined) return escaped;
      if (name === undefined || !variableName.test(name) || !whole.endsWith("}")) {
        fail(path, `expected the name of an environment variable between \${ and }, found ${quote(name ?? "")}`);
        return "";
      }
      const found = environment[name];
      if (found === undefined) fail(path, `needs the environment variable ${name}, which is not set`);
      return found ?? "";
    });

  return { value: copy(value, []), mistakes, failed };
}

/** YAML tags can also create dates, sets and binary data, which no key accepts. */
function isPlain(value: Mapping): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
