// Writes a file that never ends, until a signal ends the process. Argument: the path of the file.
import { Readable } from "node:stream";
import { writeWholeFile } from "../../dist/cli/whole-file.js";

const [, , path] = process.argv;
const text = new Readable({ read() {} });
text.push("a prompt\n");
setInterval(() => {}, 60_000);
await writeWholeFile(text, path);
