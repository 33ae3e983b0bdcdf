import { type Span, spanIn, type View } from "./secret-views.ts";

/*
 * Secrets that are not configured, recognised by their form. Every expression is a fixed prefix and at most one run of one
 * character class, so that matching stays linear on hostile input.
 */

const bearer = /bearer(?:[ \t]{1,2}token[:=])?[ \t]{1,4}/gi;
const header =
  /(?:authorization|x-api-key|api-key)["']?[ \t]?[:=][ \t]?["']?(?:(?:bearer|basic|digest|token)[ \t]{1,4})?/gi;
const labelled =
  /(?:api[-_]?key|access[-_]?token|refresh[-_]?token|client[-_]?secret|password|secret|token)(?:=|["'] ?: ?["'])/gi;
const queryKey = /[?&](?:key|sig|signature)=/gi;
const key =
  /(?<![A-Za-z0-9])(?:sk[-_][A-Za-z0-9_*-]{8,}|(?:rk_|gsk_|xai-|hf_|cpk_|nvapi-|ghp_|github_pat_|glpat-|AIza|eyJ)[A-Za-z0-9_.*-]{20,})/g;
/** A quick check: every match of a pattern contains one of these; most ids, names and numbers do not. */
const candidate = /[\s:=]|(?:sk|rk|gsk|hf|cpk|ghp|pat)[-_]|(?:xai|nvapi|glpat)-|AIza|eyJ/;
const url = /(?=https?:\/\/)/gi;
const authority = /:\/\//g;

const valueRun = /[^\s"'`&,;<>\\(){}[\]]*/y;
const urlRun = /[^\s"<>`\\]*/y;
const authorityRun = /[^\s"'`<>\\/?#]*/y;
const closing = new Set([..."?.,:;!')]}"]);

/** The length of the shortest text with a secret: `?key=x`. */
export const shortestPattern = 6;

/** Words that follow "bearer" in a sentence about bearer tokens and are no tokens. */
const ordinary = new Set(
  "token tokens auth authentication authorization scheme credential credentials header key keys is was not must and or in of for with".split(
    " ",
  ),
);

/** `cut`: the view is only the beginning of the text. `urls`: whole URLs are redacted, not only the secrets in them. */
export function findPatterns(view: View, { cut, urls }: { cut: boolean; urls: boolean }, spans: Span[]): void {
  const { text } = view;
  if (!candidate.test(text)) return;
  const add = (start: number, end: number, label: Span["label"] = "[redacted]") => {
    if (end > start) spans.push(spanIn(view, start, end, label));
  };

  for (const expression of [bearer, header, labelled, queryKey]) {
    for (const [match, start, end] of runsAfter(expression, valueRun, text)) {
      const sentence = expression === bearer || expression === header;
      if (!sentence || !ordinary.has(withoutClosing(match).toLowerCase())) add(start, end);
    }
  }
  for (const match of text.matchAll(key)) add(match.index, match.index + match[0].length);

  for (const [match, start, end] of runsAfter(authority, authorityRun, text)) {
    const at = match.lastIndexOf("@");
    if (at !== -1) add(start, start + at);
    // The @ may be in the part of the text that was cut off.
    else if (cut && end === text.length) add(start, end);
  }
  if (!urls) return;
  for (const [match, start] of runsAfter(url, urlRun, text)) add(start, start + withoutClosing(match).length, "[url]");
}

/** Yields each run that follows a match of the expression. A match inside an earlier run is skipped. */
function* runsAfter(
  expression: RegExp,
  run: RegExp,
  text: string,
): Generator<[run: string, start: number, end: number]> {
  let covered = 0;
  for (const match of text.matchAll(expression)) {
    const start = match.index + match[0].length;
    if (start < covered) continue;
    run.lastIndex = start;
    covered = run.test(text) ? run.lastIndex : start;
    yield [text.slice(start, covered), start, covered];
  }
}

function withoutClosing(run: string): string {
  let last = run.length;
  while (last > 0 && closing.has(run.charAt(last - 1))) last--;
  return run.slice(0, last);
}
