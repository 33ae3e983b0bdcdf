import { repeated, sizeUpTo } from "./sizes.mjs";

/** JSON that is changed in a few places. What no value can say (a key twice, a million levels, 1e999) is put into the text. */

class RawTexts {
  #texts = [];

  /** A value that stands for the text. */
  add(text) {
    this.#texts.push(text);
    return `@raw:${this.#texts.length - 1}@`;
  }

  print(value) {
    return JSON.stringify(value).replace(/"@raw:(\d+)@"/g, (_, index) => this.#texts[Number(index)]);
  }
}

const characters = [
  "a",
  " ",
  "\n",
  "\t",
  "\\",
  '"',
  "\u0000",
  "é",
  "🙂",
  "\ud800",
  "<",
  ">",
  "[",
  "{",
  "%",
  "$",
  "*",
  "\u2028",
];
const keys = [
  "__proto__",
  "constructor",
  "toString",
  "",
  " ",
  "type",
  "role",
  "content",
  "id",
  "name",
  "arguments",
  "index",
];
const plainValues = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 53,
  "",
  " ",
  "null",
  "\u0000",
  "\ud800",
  "__proto__",
  [],
  {},
  [null],
  [[]],
  [{}],
  { "": "" },
  ["a", 1, null],
  { type: "text", text: "a" },
];
const rawValues = [
  "1e999",
  "-0",
  "123456789012345678901234567890",
  '"\\ud800"',
  '{"__proto__":{"a":1}}',
  "1E-400",
  '"\\u0000"',
];

export function oddValue(random, raw) {
  return random.chance(0.2) ? raw.add(random.pick(rawValues)) : structuredClone(random.pick(plainValues));
}

/** Deep or wide JSON of about that many bytes. */
export function bomb(random, size) {
  const shape = random.pick(["[", "{", "[{", "[]", "{}", "keys", "numbers", "strings", "nulls", "same key"]);
  const text = bombOf(shape, size);
  return { label: `bomb ${shape} ${text.length}`, text };
}

export function bombOf(shape, size) {
  const half = Math.max(1, Math.floor(size / 2));
  switch (shape) {
    case "[":
      return "[".repeat(half) + "]".repeat(half);
    case "{":
      return `${repeated('{"a":', size)}1${"}".repeat(Math.ceil(size / 5))}`;
    case "[{":
      return `${repeated('[{"a":', size)}1${"}]".repeat(Math.ceil(size / 6))}`;
    case "[]":
    case "{}":
      return `[${repeated(`${shape},`, size)}${shape}]`;
    case "keys":
      return `{${Array.from({ length: Math.max(1, Math.floor(size / 10)) }, (_, n) => `"k${n}":1`).join(",")}}`;
    case "same key":
      return `{${repeated('"k":{},', size)}"k":1}`;
    case "numbers":
      return `[${repeated("1,", size)}1]`;
    case "strings":
      return `[${repeated('"a",', size)}"a"]`;
    default:
      return `[${repeated("null,", size)}null]`;
  }
}

/** Every place in a value: who holds it, and under which key. */
function placesIn(value) {
  const places = [];
  const walk = (holder) => {
    for (const key of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      if (places.length >= 5_000) return;
      places.push({ holder, key });
      const child = holder[key];
      if (child !== null && typeof child === "object") walk(child);
    }
  };
  walk(value);
  return places;
}

const changes = {
  swap(random, { holder, key }, raw) {
    holder[key] = oddValue(random, raw);
  },
  drop(_random, { holder, key }) {
    if (Array.isArray(holder)) holder.splice(key, 1);
    else delete holder[key];
  },
  rename(random, { holder, key }) {
    const value = holder[key];
    changes.drop(random, { holder, key });
    define(holder, random.pick(keys), value);
  },
  "key twice"(random, { holder, key }, raw) {
    const [name, first] = [JSON.stringify(String(key)), JSON.stringify(holder[key])];
    const text = `{${name}:${first},${name}:${raw.print(oddValue(random, raw))}}`;
    holder[key] = raw.add(
      random.chance(0.5) ? text : `{${repeated(`${name}:${first},`, random.size(1, 20_000))}${name}:1}`,
    );
  },
  "long text"(random, { holder, key }, _raw, most) {
    const character = random.pick(characters);
    // Printed, a character may have six times its length.
    holder[key] = repeated(
      character,
      (sizeUpTo(random, most) * character.length) / Buffer.byteLength(JSON.stringify(character)),
    );
  },
  "long key"(random, { holder, key }, _raw, most) {
    define(holder, repeated(random.pick(characters), sizeUpTo(random, Math.min(most, 1_000_000))), holder[key]);
  },
  bomb(random, { holder, key }, raw, most) {
    const { text, label } = bomb(random, sizeUpTo(random, most));
    holder[key] = raw.add(text);
    return label;
  },
  "bomb in a text"(random, { holder, key }, _raw, most) {
    const { text, label } = bomb(random, sizeUpTo(random, most / 2));
    holder[key] = text;
    return `${label} in a text`;
  },
  many(random, { holder, key }, raw, most) {
    const one = JSON.stringify(holder[key] ?? null);
    const count = Math.max(1, Math.floor(sizeUpTo(random, most) / (one.length + 1)));
    holder[key] = raw.add(`[${repeated(`${one},`, count * (one.length + 1))}${one}]`);
    return `many ${count}`;
  },
  "many more"(random, { holder, key }, raw, most) {
    const list = Array.isArray(holder[key]) ? holder[key] : Array.isArray(holder) ? holder : null;
    if (list === null || list.length === 0) return changes.many(random, { holder, key }, raw, most);
    const one = random.pick(list);
    const count = Math.min(200_000, Math.floor(sizeUpTo(random, most) / (JSON.stringify(one).length + 1)));
    for (let times = 0; times < count; times++) list.push(one);
    return `many more ${count}`;
  },
  unknown(random, { holder, key }, raw) {
    const target = holder[key] !== null && typeof holder[key] === "object" ? holder[key] : holder;
    if (Array.isArray(target)) target.push(oddValue(random, raw));
    else define(target, random.pick(keys), oddValue(random, raw));
  },
  copy(random, { holder, key }, _raw, _most, places) {
    const { holder: from, key: name } = random.pick(places);
    const copy = JSON.parse(JSON.stringify(from[name] ?? null));
    holder[key] = copy;
  },
};

/** `__proto__` must become a key like any other. */
function define(holder, key, value) {
  if (Array.isArray(holder)) holder.push(value);
  else Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The changed value as text, and what was done to it. `most` is about how many bytes may be added. */
export function mutateJson(
  random,
  value,
  {
    most = 31_000_000,
    times = random.weighted([
      [70, 1],
      [20, 2],
      [10, 4],
    ]),
  } = {},
) {
  const copy = { it: JSON.parse(JSON.stringify(value)) };
  const raw = new RawTexts();
  const labels = [];
  for (let time = 0; time < times; time++) {
    const places = placesIn(copy);
    if (places.length === 0) break;
    const place = places.length > 1 && random.chance(0.97) ? places[random.between(1, places.length - 1)] : places[0];
    const name = random.pick(Object.keys(changes));
    // Only the first may be large: together they must stay within what a request may have.
    const label = changes[name](random, place, raw, time === 0 ? most : 10_000, places);
    labels.push(`${label ?? name} at ${String(place.key).slice(0, 30)}`);
  }
  return { text: raw.print("it" in copy ? copy.it : null), label: labels.join(" + ") };
}
