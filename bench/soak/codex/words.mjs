export const tool = "look_up";

export const babble = "It is 45 degrees everywhere. ";

/** The word of a request: nobody else's answer has it. */
export function wordOf(number) {
  return `word-${number}-of-its-own`;
}

const pattern = /word-\d+-of-its-own/;

export function wordIn(text) {
  return pattern.exec(text)?.[0];
}

export function sayingOf(word) {
  return `I say ${word}, and then I say ${word} again, so that nobody can mistake it for another. `.repeat(2).trim();
}

/** What the tool says. */
export function resultOf(word) {
  return `found ${word}`;
}

export function piecesOf(text) {
  return text.match(/.{1,9}/gs);
}
