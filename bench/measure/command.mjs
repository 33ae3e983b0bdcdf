import { cpus } from "node:os";

/** What a bench ran on. */
export function machine() {
  const { version, platform, arch } = process;
  return { node: version, platform, arch, cpus: cpus().length, cpu: cpus()[0]?.model };
}

export function progress(text) {
  process.stderr.write(`${performance.now().toFixed(0).padStart(7)} ms  ${text}\n`);
}

/** Runs a bench by its command line, and ends it should it not end by itself. */
export async function runBench({ readOptions, usage, limitOf, main }) {
  try {
    const options = readOptions(process.argv.slice(2));
    if (options.help) {
      console.log(usage);
      return;
    }
    const limit = limitOf(options);
    setTimeout(() => {
      console.error(`bench: not done after ${limit / 1000} s`);
      process.exit(1);
    }, limit).unref();
    await main(options);
  } catch (error) {
    console.error(`bench: ${error.message}`);
    process.exitCode = 1;
  }
}
