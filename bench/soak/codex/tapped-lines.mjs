/** Far from the numbers that the gateway gives its requests. */
const firstId = 9_000_000_000;
const beginning = Buffer.from('{"id":900000');
const lineEnd = 0x0a;

/** Two streams of lines, passed on as they are, with questions put between those to Codex and their answers taken out. */
export class TappedLines {
  #codex;
  #gateway;
  #onAnswer;
  #asked = 0;
  /** Whether the last line to Codex has ended: no question goes into the middle of one. */
  #isBetween = true;
  #questions = [];
  #rest = Buffer.alloc(0);

  constructor(codex, gateway, onAnswer) {
    this.#codex = codex;
    this.#gateway = gateway;
    this.#onAnswer = onAnswer;
  }

  ask(method, params) {
    this.#questions.push(`${JSON.stringify({ id: firstId + this.#asked++, method, params })}\n`);
    this.#putQuestions();
  }

  toCodex(chunk) {
    this.#codex.write(chunk);
    this.#isBetween = chunk.at(-1) === lineEnd;
    this.#putQuestions();
  }

  fromCodex(chunk) {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const end = bytes.lastIndexOf(lineEnd) + 1;
    this.#rest = bytes.subarray(end);
    if (end === 0) return;
    const whole = bytes.subarray(0, end);
    if (whole.includes(beginning)) for (const line of linesOf(whole)) this.#pass(line);
    else this.#gateway.write(whole);
  }

  #pass(line) {
    if (line.subarray(0, beginning.length).equals(beginning)) this.#onAnswer(JSON.parse(line.toString()));
    else this.#gateway.write(line);
  }

  #putQuestions() {
    if (!this.#isBetween) return;
    for (const question of this.#questions.splice(0)) this.#codex.write(question);
  }
}

function* linesOf(bytes) {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(lineEnd, start) + 1;
    yield bytes.subarray(start, end);
    start = end;
  }
}
