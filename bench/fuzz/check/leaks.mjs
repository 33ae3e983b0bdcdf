import { secret } from "../run/settings.mjs";

/** The key as it is, and in the forms that redaction promises to find. Base64 shows a text in three ways, by where it begins. */
const forms = [
  secret,
  encodeURIComponent(secret),
  ...[0, 1, 2].map((shift) => {
    const base64 = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]).toString("base64");
    return base64.slice(4, 36);
  }),
];

/** As V8 prints it; in JSON the line break before it is escaped. Bounded, as what is searched may be a flood of spaces. */
const stack = / {4}at (?:async )?[^\n"]{0,200}?(?:\.m?js|\.ts|node:[a-z/_]{1,60}):\d{1,9}:\d{1,9}/;

/** What must be in no byte that leaves the gateway. */
export function findLeaks(text, where) {
  const found = [];
  if (holdsSecret(text)) found.push(`${where}: the provider's key`);
  if (stack.test(text)) found.push(`${where}: a stack trace`);
  return found;
}

function holdsSecret(text) {
  return forms.some((form) => text.includes(form));
}

/**
 * The lines of a log must be JSON, or the few that are written before it is open. A stack may be in the entry of a failed turn; an entry
 * of the level `error` is a failure of the gateway's own, and a finding by itself.
 */
export function checkLog(log) {
  const found = new Set();
  if (holdsSecret(log)) found.add("log: the provider's key");
  for (const line of log.split("\n")) {
    if (line === "" || line.startsWith("toolwire:")) continue;
    let entry;
    try {
      entry = JSON.parse(line);
    } catch {
      found.add(`log: a line that is no entry: ${line.slice(0, 160)}`);
      continue;
    }
    if (failures.includes(entry.level)) found.add(`log: ${entry.level}: ${String(entry.msg).slice(0, 160)}`);
  }
  return [...found];
}

const failures = ["error", "fatal"];
