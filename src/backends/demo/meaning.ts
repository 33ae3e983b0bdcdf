import { contentStems, stem, wordsOf } from "./words.ts";

/** What a parameter seems to want, by its name and description. */
export type Meaning =
  | "place"
  | "timezone"
  | "query"
  | "text"
  | "email"
  | "url"
  | "date"
  | "clock"
  | "path"
  | "command"
  | "expression"
  | "person"
  | "language"
  | "code"
  | "id"
  | "phone"
  | "plain";

/** In this order: "city name" is a place and "query text" a query, whatever the other word. */
const vocabulary: [Meaning, string][] = [
  ["timezone", "timezone tz zone"],
  ["email", "email mail"],
  ["url", "url uri link href website webpage"],
  ["path", "path file filename filepath directory folder dir cwd workdir"],
  ["command", "command cmd shell"],
  ["expression", "expression formula equation"],
  ["code", "currency ticker symbol iso"],
  ["language", "language lang locale"],
  ["phone", "phone telephone mobile"],
  [
    "place",
    "location city place town country region address destination origin airport area state departure arrival where venue",
  ],
  ["date", "date day birthday deadline datetime timestamp"],
  ["clock", "time hour"],
  ["query", "query search question keyword keywords topic term terms q subject prompt"],
  ["text", "text message content body input note description title summary answer reply response comment code task"],
  ["person", "name person user customer recipient contact author attendee"],
  ["id", "id identifier uuid key token reference"],
];

const meanings = new Map<string, Meaning>();
for (const [meaning, words] of vocabulary) {
  for (const word of words.split(" ")) meanings.set(stem(word), meaning);
}
const order = vocabulary.map(([meaning]) => meaning);

/** Meanings that a description may give to a name that says nothing ("q", "value"). */
const describable = new Set<Meaning>([
  "place",
  "email",
  "url",
  "path",
  "expression",
  "code",
  "language",
  "query",
  "date",
]);

export function meaningOf(name: string, description: string): Meaning {
  const named = strongest(wordsOf(name.slice(0, 200)).map(stem));
  if (named !== undefined) return named;
  const described = strongest(contentStems(description.slice(0, 200)));
  return described !== undefined && describable.has(described) ? described : "plain";
}

function strongest(stems: readonly string[]): Meaning | undefined {
  const found = new Set(stems.map((root) => meanings.get(root)));
  return order.find((meaning) => found.has(meaning));
}

/** Which of two places (languages, currencies) a parameter is: the one after "from" or the one after "to". */
export type Direction = "from" | "to" | undefined;

export function directionOf(name: string): Direction {
  const words = wordsOf(name.slice(0, 200));
  if (words.some((word) => /^(?:from|origin|source|departure|start)$/u.test(word))) return "from";
  if (words.some((word) => /^(?:to|destination|target|arrival|end)$/u.test(word))) return "to";
  return undefined;
}

const plausible: Record<Meaning, string> = {
  place: "Paris",
  timezone: "UTC",
  query: "example",
  text: "example",
  email: "alex@example.com",
  url: "https://example.com/",
  date: "2025-01-01",
  clock: "12:00",
  path: "example.txt",
  command: "echo hello",
  expression: "1 + 1",
  person: "Alex",
  language: "English",
  code: "EUR",
  id: "1",
  phone: "+15550100",
  plain: "example",
};

export function plausibleText(meaning: Meaning): string {
  return plausible[meaning];
}

const formats = new Map([
  ["date", "2025-01-01"],
  ["date-time", "2025-01-01T12:00:00Z"],
  ["time", "12:00:00Z"],
  ["duration", "P1D"],
  ["email", "alex@example.com"],
  ["idn-email", "alex@example.com"],
  ["hostname", "example.com"],
  ["idn-hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["uri", "https://example.com/"],
  ["url", "https://example.com/"],
  ["uri-reference", "/example"],
  ["iri", "https://example.com/"],
  ["uuid", "123e4567-e89b-12d3-a456-426614174000"],
  ["json-pointer", "/example"],
  ["regex", ".*"],
  ["byte", "ZXhhbXBsZQ=="],
]);

/** A value of a `format` of JSON Schema; `undefined` for a format that asks nothing. */
export function formatExample(format: string): string | undefined {
  return formats.get(format);
}
