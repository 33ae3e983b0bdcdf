import type { OutputUnit } from "@cfworker/json-schema";
import type { JsonValue } from "../../turn/index.ts";
import { keywordsOf, nodeAt } from "./locations.ts";
import type { Prepared } from "./prepare.ts";

/** The error to report: a single one, or alternatives that all want another type or value at the same location. */
export type Blame =
  | { kind: "error"; error: OutputUnit }
  | { kind: "types"; place: string; types: string[] }
  | { kind: "values"; place: string; values: JsonValue[] };

/** Keywords whose errors only say that there is an error further inside. */
const carriers = new Set(
  "$ref allOf anyOf oneOf if dependentSchemas properties additionalProperties unevaluatedProperties propertyNames prefixItems items unevaluatedItems".split(
    " ",
  ),
);

/** The most helpful error: a certain one before one of an alternative, and of alternatives the one that was probably meant. */
export function blame(errors: readonly OutputUnit[], prepared: Prepared): Blame | undefined {
  // An honest mistake makes fewer errors. Of the thousands of a hostile one, any will do.
  return choose(errors.slice(0, 200), "#", prepared);
}

function choose(errors: readonly OutputUnit[], base: string, prepared: Prepared): Blame | undefined {
  const certain = errors.find((error) => isLeaf(error) && !isOfAlternative(error.keywordLocation.slice(base.length)));
  if (certain) return { kind: "error", error: certain };
  const union = errors.find(({ keyword }) => keyword === "anyOf" || keyword === "oneOf");
  if (!union) return undefined;
  return chooseAlternative(union, alternativesOf(union, errors), prepared) ?? { kind: "error", error: union };
}

interface Alternative {
  base: string;
  errors: OutputUnit[];
}

function alternativesOf(union: OutputUnit, errors: readonly OutputUnit[]): Alternative[] {
  const found = new Map<string, Alternative>();
  const prefix = `${union.keywordLocation}/`;
  for (const error of errors) {
    if (!error.keywordLocation.startsWith(prefix)) continue;
    const index = error.keywordLocation.slice(prefix.length).split("/", 1)[0] ?? "";
    const alternative = found.get(index) ?? { base: prefix + index, errors: [] };
    alternative.errors.push(error);
    found.set(index, alternative);
  }
  return [...found.values()];
}

function chooseAlternative(union: OutputUnit, given: Alternative[], prepared: Prepared): Blame | undefined {
  const place = union.instanceLocation;
  const isHere = (error: OutputUnit) => error.keyword === "type" && error.instanceLocation === place;
  const ofType = given.filter(({ errors }) => !errors.some(isHere));
  if (ofType.length === 0) {
    const types = given
      .flatMap(({ errors }) => errors.filter(isHere))
      .flatMap((error) => nodeOf(error, prepared)?.type ?? []);
    return { kind: "types", place, types: [...new Set(types)] };
  }
  // A property with a fixed value distinguishes alternatives.
  const isDiscriminator = (error: OutputUnit) =>
    error.keyword === "enum" && depth(error.instanceLocation) <= depth(place) + 1;
  const meant = ofType.filter(({ errors }) => !errors.some(isDiscriminator));
  if (meant.length === 0)
    return wantedValues(
      ofType.flatMap(({ errors }) => errors.filter(isDiscriminator)),
      prepared,
    );
  const [best] = meant.sort((a, b) => reach(b) - reach(a));
  return best && choose(best.errors, best.base, prepared);
}

function wantedValues(errors: OutputUnit[], prepared: Prepared): Blame | undefined {
  const [first] = errors;
  if (!first) return undefined;
  const place = first.instanceLocation;
  if (errors.some((error) => error.instanceLocation !== place)) return { kind: "error", error: first };
  return { kind: "values", place, values: errors.flatMap((error) => nodeOf(error, prepared)?.enum ?? []) };
}

/** Whether the error is reported itself. For `oneOf` that is so if several alternatives fit: then there is no error inside. */
function isLeaf({ keyword, error }: OutputUnit): boolean {
  return !carriers.has(keyword) || (keyword === "oneOf" && !error.includes("(0 matches)"));
}

function isOfAlternative(location: string): boolean {
  return keywordsOf(location)
    .slice(0, -1)
    .some((keyword) => keyword === "anyOf" || keyword === "oneOf" || keyword === "contains");
}

function nodeOf(error: OutputUnit, prepared: Prepared) {
  return nodeAt(error.keywordLocation, prepared);
}

/** How deep into the arguments an alternative fits. */
function reach({ errors }: Alternative): number {
  return errors.reduce((deepest, { instanceLocation }) => Math.max(deepest, depth(instanceLocation)), 0);
}

function depth(location: string): number {
  return location.split("/").length;
}
