import { Buffer } from "node:buffer";

/** A range of a text that is secret, and its replacement. */
export interface Span {
  start: number;
  end: number;
  label: "[redacted]" | "[url]";
}

/** A decoded form of a text. Character `i` of it stands for the characters from `starts[i]` to `ends[i]` of the original text. */
export interface View {
  text: string;
  /** Null in the view that is the text itself. */
  origin: { starts: Uint32Array; ends: Uint32Array } | null;
}

/** The range of the original text behind a range of a view. */
export function spanIn({ origin }: View, start: number, end: number, label: Span["label"]): Span {
  return origin ? { start: origin.starts[start] ?? 0, end: origin.ends[end - 1] ?? 0, label } : { start, end, label };
}

/** The text itself, and its forms without percent-encoding and without the escapes of JSON. */
export function plainViews(text: string): View[] {
  const views: View[] = [{ text, origin: null }];
  if (text.includes("%")) views.push(decoded({ text, origin: null }, percentAt));
  if (text.includes("\\")) views.push(decoded({ text, origin: null }, escapeAt));
  return views;
}

const rounds = 3;
const invisible = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/u;
const hidden = /[%\\&\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Forms that show what somebody hid: without any encoding, also where one is inside another, and without characters that nobody
 * sees; then only the digits of bytes that are written in hexadecimal, such as `73:6b` or `0x73, 0x6b`.
 */
export function deepViews(text: string): View[] {
  const views: View[] = [];
  let last: View = { text, origin: null };
  // Each by itself too: the secret may contain a backslash or a percent sign.
  if (invisible.test(text)) views.push(decoded(last, unseenAt));
  if (text.includes("&")) views.push(decoded(last, entityOrUnseenAt));
  for (let round = 0; round < rounds && hidden.test(last.text); round++) {
    const next = decoded(last, hiddenAt);
    if (next.text === last.text) break;
    views.push(next);
    last = next;
  }
  for (const view of last.origin === null ? [last] : [{ text, origin: null }, last]) {
    if (separatedHex.test(view.text)) views.push(decoded(view, hexDigitAt));
  }
  return views;
}

/**
 * What stands at a place of a text: a number made by `encoded`, or `plain`. Not an object, because there may be one a character.
 */
type Notation = (text: string, at: number) => number;

const plain = -1;
const nothing = 0x10000;

/** So many characters mean this code unit, or nothing. */
function encoded(length: number, unit: number): number {
  return length * 0x20000 + unit;
}

const percent = 0x25;
const ampersand = 0x26;
const zero = 0x30;
const backslash = 0x5c;

const percentAt: Notation = (text, at) => {
  const unit = text.charCodeAt(at) === percent ? hexAt(text, at + 1, 2) : -1;
  return unit === -1 ? plain : encoded(3, unit);
};

const controls: Record<string, number> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

const escapeAt: Notation = (text, at) => {
  if (text.charCodeAt(at) !== backslash) return plain;
  const letter = text.charAt(at + 1);
  const digits = letter === "u" ? 4 : letter === "x" ? 2 : 0;
  const unit = digits === 0 ? -1 : hexAt(text, at + 2, digits);
  if (unit !== -1) return encoded(2 + digits, unit);
  // A strict parser reads `\\u0041` as plain text, but a person recognises the letter, so it is decoded.
  if (letter === "" || (letter === "\\" && "ux".includes(text.charAt(at + 2) || " "))) return plain;
  return encoded(2, controls[letter] ?? letter.charCodeAt(0));
};

const names: Record<string, number> = {
  ...{ amp: 38, lt: 60, gt: 62, quot: 34, apos: 39 },
  ...{ shy: nothing, zwj: nothing, zwnj: nothing },
};
const entity = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}))(?:;|(?=[&\s]|$))/iy;

const entityAt: Notation = (text, at) => {
  if (text.charCodeAt(at) !== ampersand) return plain;
  entity.lastIndex = at;
  const found = entity.exec(text);
  if (found === null) return plain;
  const [whole, decimal, hex, name = ""] = found;
  const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex, 16) : names[name.toLowerCase()];
  return code === undefined ? plain : encoded(whole.length, Math.min(code, nothing));
};

const unseenAt: Notation = (text, at) => {
  const unit = text.charCodeAt(at);
  if (unit === 0xdb40) return encoded(2, nothing);
  return isUnseen(unit) ? encoded(1, nothing) : plain;
};

const entityOrUnseenAt: Notation = (text, at) => {
  const found = entityAt(text, at);
  return found === plain ? unseenAt(text, at) : withoutUnseen(found);
};

/** Any notation. A backslash before another notation belongs to neither. */
const hiddenAt: Notation = (text, at) => {
  const unit = text.charCodeAt(at);
  if (unit === percent) return withoutUnseen(percentAt(text, at));
  if (unit === ampersand) return withoutUnseen(entityAt(text, at));
  if (unit !== backslash) return unseenAt(text, at);
  return isLead(text.charCodeAt(at + 1)) ? plain : withoutUnseen(escapeAt(text, at));
};

/** An encoded character that nobody sees means nothing. */
function withoutUnseen(found: number): number {
  return found !== plain && isUnseen(found % 0x20000) ? encoded(Math.floor(found / 0x20000), nothing) : found;
}

function isLead(unit: number): boolean {
  return unit === percent || unit === ampersand;
}

/**
 * Control characters, soft hyphens, joiners and others without a width: Unicode's `Default_Ignorable_Code_Point` below 0x10000. The
 * others of that kind begin with 0xDB40.
 */
function isUnseen(unit: number): boolean {
  if (unit < 0x34f) return unit < 0x20 || (unit >= 0x7f && unit < 0xa0) || unit === 0xad;
  if (unit > 0x206f && unit < 0xfe00) return unit === 0x3164;
  return unseen.some(([from, to]) => unit >= from && unit <= to);
}

const unseen = [
  ...([
    [0x34f, 0x34f],
    [0x61c, 0x61c],
    [0x115f, 0x1160],
    [0x17b4, 0x17b5],
    [0x180b, 0x180f],
    [0x200b, 0x200f],
  ] as const),
  ...([
    [0x202a, 0x202e],
    [0x2060, 0x206f],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
    [0xfff0, 0xfff8],
  ] as const),
];

/** Three bytes in hexadecimal with something between them. Dates look the same, which only costs a further view. */
const separatedHex =
  /[0-9a-f]{2}(?:[^0-9a-z]{1,4}|[^0-9a-z]{0,4}[0\\]x)[0-9a-f]{2,16}(?:[^0-9a-z]{1,4}|[^0-9a-z]{0,4}[0\\]x)[0-9a-f]{2}/i;
const mostBetween = 4;

/** The digits of bytes: without `0x` and `\x`, and without up to four characters between digits that are neither letter nor digit. */
const hexDigitAt: Notation = (text, at) => {
  const unit = text.charCodeAt(at);
  if (unit !== zero && isAlphanumeric(unit)) return plain;
  // A zero after another digit belongs to that one.
  const mayPrefix = unit === backslash || (unit === zero && !isAlphanumeric(text.charCodeAt(at - 1)));
  if (mayPrefix && (text.charCodeAt(at + 1) | 0x20) === 0x78 && hexAt(text, at + 2, 1) !== -1)
    return encoded(2, nothing);
  let end = at;
  while (end < text.length && end - at < mostBetween && !isAlphanumeric(text.charCodeAt(end))) end++;
  return end > at && hexAt(text, end, 1) !== -1 ? encoded(end - at, nothing) : plain;
};

function isAlphanumeric(unit: number): boolean {
  const letter = unit | 0x20;
  return (unit >= zero && unit <= 0x39) || (letter >= 0x61 && letter <= 0x7a);
}

/** The number that the digits mean; -1 if one is missing. */
function hexAt(text: string, at: number, digits: number): number {
  let value = 0;
  for (let place = at; place < at + digits; place++) {
    const unit = text.charCodeAt(place);
    const letter = unit | 0x20;
    if (unit >= zero && unit <= 0x39) value = value * 16 + unit - zero;
    else if (letter >= 0x61 && letter <= 0x66) value = value * 16 + letter - 0x57;
    else return -1;
  }
  return value;
}

function decoded({ text, origin }: View, notation: Notation): View {
  const units = new Uint16Array(text.length);
  const starts = new Uint32Array(text.length);
  const ends = new Uint32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const found = notation(text, at);
    const unit = found === plain ? text.charCodeAt(at) : found % 0x20000;
    const end = found === plain ? at + 1 : Math.min(text.length, at + Math.floor(found / 0x20000));
    if (unit !== nothing) {
      units[length] = unit;
      starts[length] = origin ? (origin.starts[at] ?? 0) : at;
      ends[length] = origin ? (origin.ends[end - 1] ?? 0) : end;
      length++;
    }
    at = end;
  }
  const bytes = Buffer.from(units.buffer, 0, length * units.BYTES_PER_ELEMENT);
  return { text: bytes.toString("utf16le"), origin: { starts, ends } };
}
