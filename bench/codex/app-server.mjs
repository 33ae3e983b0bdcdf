import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

/**
 * A client of `codex app-server`, written by hand: a JSON object a line, answers by the number of their request, and what is said
 * about a thread to whoever listens to it. This is what a program without a gateway would have.
 */
export class AppServer {
  #child;
  #waiting = new Map();
  #listeners = new Map();
  #asked = 0;
  over;

  constructor({ program, args, cwd, env }) {
    this.#child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    this.over = new Promise((resolve) => this.#child.once("exit", resolve));
    const decoder = new StringDecoder("utf8");
    let rests = "";
    this.#child.stdout.on("data", (chunk) => {
      const lines = (rests + decoder.write(chunk)).split("\n");
      rests = lines.pop();
      for (const line of lines) this.#hear(JSON.parse(line));
    });
  }

  request(method, params) {
    const id = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method) {
    this.#send({ method });
  }

  listen(thread, listener) {
    this.#listeners.set(thread, listener);
  }

  unlisten(thread) {
    this.#listeners.delete(thread);
  }

  end() {
    this.#child.stdin.end();
    return this.over;
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #hear({ id, method, params, result, error }) {
    if (method !== undefined) {
      // What it asks of a client (the results of calls) has no answer: the turn is ended instead.
      this.#listeners.get(params?.threadId)?.(method, params);
      return;
    }
    const { resolve, reject } = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  }
}
