import { open } from "node:fs/promises";
import { displayPath } from "../load.ts";
import { Complaint } from "./complaint.ts";

const largest = 64 * 1024 * 1024;

/** Reads a text file; `-` is standard input. */
export async function readText(file: string): Promise<string> {
  const name = file === "-" ? "standard input" : displayPath(file);
  const bytes = await readBytes(file).catch((error: unknown) => {
    throw new Complaint(whyUnread(name, error));
  });
  if (bytes.length > largest) {
    throw new Complaint(`${name} is larger than 64 MB; cut the part that matters out of it and replay that`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Complaint(`${name} is not text in UTF-8; record what the backend sent as it is, not compressed`);
  }
}

/** Reads one byte more than the limit, so that the caller can detect a larger file. */
async function readBytes(file: string): Promise<Buffer> {
  const handle = file === "-" ? undefined : await open(file);
  const stream = handle?.createReadStream({ end: largest }) ?? process.stdin;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > largest) break;
  }
  return Buffer.concat(chunks);
}

function whyUnread(name: string, error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ENOENT":
      return `there is no file ${name}; give the path of a recording, or - to read standard input`;
    case "EISDIR":
      return `${name} is a folder; give the path of one recording in it`;
    case "EACCES":
    case "EPERM":
      return `${name} may not be read; change its permissions, or copy it`;
    default:
      return `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
