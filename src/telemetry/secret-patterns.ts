import { type Span, spanIn, type View } from "./secret-forms.ts";

/*
 * Secrets that nobody configured, known by their looks. Every expression here is a fixed beginning and then at most one run of one
 * class of characters, so that a hostile megabyte takes one pass.
 */

const bearer = /bearer(?:[ \t]{1,2}token[:=])?[ \t]{1,4}/gi;
const header =
  /(?:authorization|x-api-key|api-key)["']?[ \t]?[:=][ \t]?["']?(?:(?:bearer|basic|digest|token)[ \t]{1,4})?/gi;
const labelled =
  /(?:api[-_]?key|access[-_]?token|refresh[-_]?token|client[-_]?secret|password|secret|token)(?:=|["'] ?: ?["'])/gi;
const queryKey = /[?&](?:key|sig|signature)=/gi;
const key =
  /(?<![A-Za-z0-9])(?:sk[-_][A-Za-z0-9_*-]{8,}|(?:rk_|gsk_|xai-|hf_|cpk_|nvapi-|ghp_|github_pat_|glpat-|AIza|eyJ)[A-Za-z0-9_.*-]{20,})/g;
/** What every pattern has somewhere; ids, names and numbers mostly do not. */
const candidate = /[\s:=]|(?:sk|rk|gsk|hf|cpk|ghp|pat)[-_]|(?:xai|nvapi|glpat)-|AIza|eyJ/;
const url = /(?=https?:\/\/)/gi;
const authority = /:\/\//g;

const valueRun = /[^\s"'`&,;<>\\(){}[\]]*/y;
const urlRun = /[^\s"<>`\\]*/y;
const authorityRun = /[^\s"'`<>\\/?#]*/y;
const closing = new Set([..."?.,:;!')]}"]);

/** `token=x`, the least that any of them finds. */
export const shortestPattern = 6;

/** What stands after "bearer" in a sentence about bearer tokens, and is none. */
const ordinary = new Set(
  "token tokens auth authentication authorization scheme credential credentials header key keys is was not must and or in of for with".split(
    " ",
  ),
);

/** `cut`: the text goes on after the view's end. `urls`: whole addresses go too, not only what is secret in them. */
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
    // The @ may be in the part that is not seen.
    else if (cut && end === text.length) add(start, end);
  }
  if (!urls) return;
  for (const [match, start] of runsAfter(url, urlRun, text)) add(start, start + withoutClosing(match).length, "[url]");
}

/** Each run that begins where the expression ends. What begins inside an earlier run is part of it. */
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
