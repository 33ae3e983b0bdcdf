import type { JsonObject } from "../../turn/index.ts";
import type { Evidence, Reach } from "./evidence.ts";
import { fitsText, limit } from "./fits.ts";
import { directionOf, formatExample, type Meaning, meaningOf, plausibleText } from "./meaning.ts";
import { commandIn, expressionIn, phraseOf } from "./phrase.ts";
import type { TokenKind } from "./question.ts";

const formatKinds = new Map<string, TokenKind>([
  ["date", "date"],
  ["date-time", "date"],
  ["time", "clock"],
  ["email", "email"],
  ["idn-email", "email"],
  ["uri", "url"],
  ["url", "url"],
  ["iri", "url"],
]);

/** What the question says for a text parameter. `open`: the whole question may stand in it, though it is optional. */
export function textFromQuestion(
  name: string,
  schema: JsonObject,
  evidence: Evidence,
  reach: Reach,
  open: boolean,
): string | undefined {
  const labelled = evidence.takeLabelled(name);
  if (labelled !== undefined) return labelled;
  if (typeof schema.format === "string" && formatExample(schema.format) !== undefined) {
    return textOfFormat(schema.format, evidence, reach);
  }
  const description = typeof schema.description === "string" ? schema.description : "";
  const meaning = meaningOf(name, description);
  // A default knows better than a guess what a parameter without a meaning wants.
  const isGuess = meaning === "plain" && schema.default !== undefined;
  return byMeaning(meaning, name, evidence, isGuess ? "own" : reach, open);
}

function textOfFormat(format: string, evidence: Evidence, reach: Reach): string | undefined {
  const kind = formatKinds.get(format);
  const found = kind && evidence.takeKind(kind, reach);
  if (found === undefined) return undefined;
  if (format === "date") return found.slice(0, 10);
  if (format === "time") return `${found.length < 8 ? `${found.padStart(5, "0")}:00` : found}Z`;
  if (format !== "date-time") return found;
  const full = found.length === 10 ? `${found}T12:00:00Z` : found.replace(/T(\d\d:\d\d)(?=$|Z|[+-])/u, "T$1:00");
  return /(?:Z|[+-]\d\d:\d\d)$/u.test(full) ? full : `${full}Z`;
}

function byMeaning(
  meaning: Meaning,
  name: string,
  evidence: Evidence,
  reach: Reach,
  open: boolean,
): string | undefined {
  const isWanted = reach !== "own";
  const phrase = (): string | undefined =>
    reach === "all" || open ? phraseOf(evidence.question, evidence.span) || undefined : undefined;
  switch (meaning) {
    case "place":
    case "language":
      return evidence.takePlace(directionOf(name), reach) ?? evidence.takeQuote(reach);
    case "timezone":
      return zoneOf(evidence.takeKind("path", reach) ?? evidence.takePlace(undefined, reach));
    case "email":
    case "url":
    case "date":
    case "clock":
      return evidence.takeKind(meaning, reach) ?? (isWanted ? evidence.takeQuote(reach) : undefined);
    case "path":
      return evidence.takeKind(meaning, reach) ?? evidence.takeQuote(reach);
    case "command":
      return evidence.takeQuote(reach) ?? (reach === "list" ? undefined : commandIn(evidence.question, evidence.span));
    case "expression":
      if (reach === "list") return evidence.takeQuote(reach);
      return evidence.takeQuote(reach) ?? expressionIn(evidence.question, evidence.span) ?? phrase();
    case "code":
      return evidence.takeCode(reach) ?? evidence.takeQuote(reach);
    case "person":
      return isWanted ? (evidence.takeQuote(reach) ?? evidence.takePlace(undefined, reach)) : undefined;
    case "id":
      return isWanted ? (evidence.takeQuote(reach) ?? evidence.takeNumber(reach)?.toString()) : undefined;
    case "query":
    case "text":
      return evidence.takeQuote(reach) ?? phrase();
    case "phone":
      return evidence.takeQuote(reach);
    case "plain":
      return plainText(name, evidence, reach) ?? phrase();
  }
}

function plainText(name: string, evidence: Evidence, reach: Reach): string | undefined {
  const direction = directionOf(name);
  const addressed = direction && (evidence.takeKind("email", reach) ?? evidence.takeCode(reach));
  return (
    addressed ??
    evidence.takeQuote(reach) ??
    (direction || reach !== "own" ? evidence.takePlace(direction, reach) : undefined)
  );
}

let zones: Map<string, string> | undefined;

/** "Tokyo" as `Asia/Tokyo`: a tool that takes a time zone can do nothing with a city. */
function zoneOf(place: string | undefined): string | undefined {
  if (place === undefined || place.includes("/")) return place;
  zones ??= new Map(
    Intl.supportedValuesOf("timeZone").map((zone) => [zone.slice(zone.lastIndexOf("/") + 1).toLowerCase(), zone]),
  );
  return zones.get(place.toLowerCase().replaceAll(" ", "_")) ?? place;
}

/** A value for when the question says nothing. */
export function plausibleValue(name: string, schema: JsonObject): string {
  const example = typeof schema.format === "string" ? formatExample(schema.format) : undefined;
  const description = typeof schema.description === "string" ? schema.description : "";
  return example ?? plausibleText(meaningOf(name, description));
}

const longestPadding = 10_000;

/** The text, changed as little as its limits demand. */
export function withinLimits(text: string, schema: JsonObject): string {
  if (fitsText(text, schema)) return text;
  const min = Math.min(limit(schema.minLength, 0), longestPadding);
  let characters = Array.from(text);
  if (characters.length < min) {
    const filler = Array.from(`${text || "example"} `);
    characters = Array.from({ length: min }, (_, at) => filler[at % filler.length] ?? " ");
  }
  return characters.slice(0, Math.max(0, limit(schema.maxLength, Infinity))).join("");
}
