// Runs a store of the built package, for tests of what only a process can show. Arguments: what to do, and the address of the store.
import { openStore } from "../../dist/store/open.js";

const [, , task, url] = process.argv;
const log = { isLevelEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} };
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const ttl = 60 * 60_000;

const store = await openStore({ url, keep: null, log });

const tasks = {
  /** Writes once and does not close the store. */
  async once() {
    await store.write("ann", [{ key: "once", value: true, ttl }]);
  },
  async onceAndClose() {
    await store.write("ann", [{ key: "once", value: true, ttl }]);
    await store.close();
  },
  /** Writes until it is killed. Says the number of each record that is written. */
  async endless() {
    for (let number = 0; ; number++) {
      await store.write("ann", [{ key: `k${number}`, value: number, ttl }]);
      say({ written: number });
    }
  },
  /** Writes until that fails, then on each line of input tries again. */
  async untilFull() {
    let number = 0;
    const write = () => store.write("ann", [{ key: `k${number}`, value: "x".repeat(20_000), ttl }]);
    try {
      for (; ; number++) await write();
    } catch (error) {
      const kept = (
        await store.read(
          "ann",
          Array.from({ length: number }, (_, index) => `k${index}`),
        )
      ).filter(Boolean);
      say({ failure: error.failure, message: error.message, written: number, kept: kept.length });
    }
    process.stdin.once("data", async () => {
      let isWritten = false;
      while (!isWritten) {
        isWritten = await write().then(
          () => true,
          () => new Promise((resolve) => setTimeout(resolve, 100, false)),
        );
      }
      say({ trouble: store.trouble });
      await store.close();
      process.stdin.destroy();
    });
  },
};

await tasks[task]();
