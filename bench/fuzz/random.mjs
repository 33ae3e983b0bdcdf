/** Numbers from a seed. Two streams with different names share nothing, so a case does not depend on those before it. */
export class Random {
  #a;
  #b;
  #c;
  #counter = 1;

  constructor(...names) {
    const next = hashOf(names.join("\u0000"));
    this.#a = next();
    this.#b = next();
    this.#c = next();
    for (let times = 0; times < 12; times++) this.#next();
  }

  /** The generator is sfc32. */
  #next() {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }

  /** From 0, and below 1. */
  fraction() {
    return this.#next() / 2 ** 32;
  }

  chance(probability) {
    return this.fraction() < probability;
  }

  /** A whole number; both ends are possible. */
  between(least, most) {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** Small ones are as likely as large ones: 1 to 10 as often as 1,000 to 10,000. */
  size(least, most) {
    const low = Math.log(Math.max(1, least));
    return Math.min(most, Math.max(least, Math.round(Math.exp(low + this.fraction() * (Math.log(most) - low)))));
  }

  pick(list) {
    return list[this.between(0, list.length - 1)];
  }

  /** One of `[weight, value]`. */
  weighted(list) {
    let left = this.fraction() * list.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of list) {
      left -= weight;
      if (left < 0) return value;
    }
    return list.at(-1)[1];
  }

  bytes(length) {
    return Buffer.from(Array.from({ length }, () => this.between(0, 255)));
  }
}

function hashOf(text) {
  let hash = 1779033703 ^ text.length;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 3432918353);
    hash = (hash << 13) | (hash >>> 19);
  }
  return () => {
    hash = Math.imul(hash ^ (hash >>> 16), 2246822507);
    hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
    hash ^= hash >>> 16;
    return hash;
  };
}
