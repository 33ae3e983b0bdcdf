import { Random } from "../fuzz/random.mjs";

/** A chain grows no longer, so that its items fit on one page. */
const mostAncestors = 40;
const imageCount = 8;

/**
 * One request, and what must come of it. `outcome` is what its client knows: `completed` and `left` end it; `cut` means that the
 * gateway died first, so that the turn may be stored or not.
 */
export class Turn {
  outcome = "cut";
  /** The id of the answer, as soon as the client has seen it. */
  id;
  /** The whole answer of a completed turn: a response, or `{ text }`. */
  answer;
  /** Characters of the answer that came before the client left. */
  received = "";
  /** Whether the client was told that the turn is not stored. */
  isRefused = false;

  constructor(number, settings, random) {
    Object.assign(this, settings);
    this.number = number;
    this.text = `turn ${number}: ${wordsOf(random, random.size(1, 60))}`;
    this.pieces = piecesOf(number, random);
    this.depth = (this.previous?.depth ?? 0) + 1;
  }

  get expected() {
    return this.pieces.join("");
  }

  /** What its request adds, as one line a message. */
  get question() {
    return line("user", this.text, this.image);
  }

  get reply() {
    return line("assistant", this.expected);
  }

  /** Everything that the model is given, oldest first. */
  get history() {
    const before = this.conversation ? this.conversation.before(this) : ancestorsOf(this);
    return [...before.flatMap((turn) => [turn.question, turn.reply]), this.question];
  }

  get mayContinue() {
    const isStored = this.outcome === "completed" && !this.isRefused && this.api === "responses";
    return isStored && !this.conversation && this.depth < mostAncestors;
  }
}

/** A conversation by header. One client uses it, a turn at a time. */
export class Conversation {
  /** Turns that are stored for certain. */
  turns = [];
  /** A turn that is stored or not, since the gateway died. */
  open;

  constructor(name, api) {
    this.name = name;
    this.api = api;
  }

  before(turn) {
    const at = this.turns.indexOf(turn);
    return at === -1 ? this.turns : this.turns.slice(0, at);
  }
}

/** All turns on one database. */
export class Plan {
  turns = [];
  conversations = [];
  #seed;
  #images;

  constructor(...seed) {
    this.#seed = seed;
    const random = new Random(...seed, "images");
    this.#images = Array.from({ length: imageCount }, () => {
      return `data:image/png;base64,${random.bytes(random.size(600, 60_000)).toString("base64")}`;
    });
  }

  conversation(name, api) {
    const conversation = new Conversation(name, api);
    this.conversations.push(conversation);
    return conversation;
  }

  /** The next turn outside of conversations, or the next of one. */
  next(conversation) {
    const number = this.turns.length;
    const random = new Random(...this.#seed, "turn", String(number));
    const api =
      conversation?.api ??
      random.weighted([
        [3, "responses"],
        [1, "chat"],
      ]);
    const candidates = this.turns.slice(-400).filter((turn) => turn.mayContinue);
    const continues = api === "responses" && !conversation && candidates.length > 0 && random.chance(0.6);
    const turn = new Turn(
      number,
      {
        api,
        conversation,
        // Often the newest, so that chains grow; sometimes an older one, which makes a fork.
        previous: continues ? (random.chance(0.6) ? candidates.at(-1) : random.pick(candidates)) : undefined,
        stream: random.chance(0.65),
        image: random.chance(0.25) ? random.pick(this.#images) : undefined,
        // Only these can be sent again without another copy.
        key:
          api === "chat" && (conversation || random.chance(0.3)) ? `key ${this.#seed.join(" ")} ${number}` : undefined,
        leavesAfter: !conversation && random.chance(0.06) ? random.between(0, 20) : undefined,
      },
      random,
    );
    this.turns.push(turn);
    return turn;
  }
}

function ancestorsOf(turn) {
  const ancestors = [];
  for (let before = turn.previous; before; before = before.previous) ancestors.unshift(before);
  return ancestors;
}

export function line(role, text, image = "") {
  return `${role} ${text} ${image}`;
}

const words = 'the gateway "keeps" what it was told\nGröße 東京 🚀 and \\ nothing else'.split(" ");

function wordsOf(random, count) {
  return Array.from({ length: count }, () => random.pick(words)).join(" ");
}

function piecesOf(number, random) {
  return [`answer ${number}`, ...Array.from({ length: random.size(1, 80) }, () => ` ${random.pick(words)}`)];
}
