import fc from "fast-check";

/** Every way to cut a text in two, the halves of a surrogate pair included. */
export function* cutsInTwo(text: string): Generator<string[]> {
  for (let at = 1; at < text.length; at++) yield [text.slice(0, at), text.slice(at)];
}

/** One UTF-16 unit at a time. */
export function units(text: string): string[] {
  return text.split("");
}

/** The text, cut at places that are given as numbers from 0 to 1. */
export function cutAt(text: string, places: readonly number[]): string[] {
  const cuts = [...new Set(places.map((place) => Math.floor(place * text.length)))].sort((a, b) => a - b);
  return [0, ...cuts]
    .map((start, index) => text.slice(start, cuts[index] ?? text.length))
    .filter((piece) => piece !== "");
}

/** Places to cut a text at. */
export const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 12 });
