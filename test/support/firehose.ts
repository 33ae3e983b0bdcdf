import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Api } from "./api.ts";

/** A provider whose model says far more than anybody reads, as fast as it is taken and no faster. */
export interface Firehose {
  /** What a configuration has as `base_url`. */
  url: string;
  /** Pieces that the connection has taken so far, over all answers. */
  sent: number;
  /** Answers that were broken off by the other side. */
  brokenOff: number;
  close(): Promise<void>;
}

/** Stands once in each piece, so that a reader can count. */
export const mark = "~";

/** Answers every request with a stream of so many pieces of this length. */
export async function startFirehose({ pieces, length }: { pieces: number; length: number }): Promise<Firehose> {
  const text = "x".repeat(length - 1) + mark;
  const server = createServer((request, response) => {
    const api: Api = request.url?.endsWith("/responses") ? "responses" : "chat";
    request.resume();
    response.on("close", () => {
      if (!response.writableFinished) firehose.brokenOff += 1;
    });
    void pour(response, api);
  });
  const pour = async (response: ServerResponse, api: Api) => {
    const { first, piece, last } = frames[api](text, pieces);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(first);
    for (let sent = 0; sent < pieces; sent += 1) {
      if (!response.write(piece)) await room(response);
      if (response.destroyed) return;
      firehose.sent += 1;
    }
    response.end(last());
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const firehose: Firehose = {
    url: `http://127.0.0.1:${port}/v1`,
    sent: 0,
    brokenOff: 0,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return firehose;
}

/** Resolves when the connection takes more, or is gone. */
function room(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
}

interface Frames {
  first: string;
  piece: string;
  last: () => string;
}

const frames: Record<Api, (text: string, pieces: number) => Frames> = {
  chat: (text) => ({
    first: ": ready\n\n",
    piece: data({ choices: [{ index: 0, delta: { content: text } }] }),
    last: () => `${data({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`,
  }),
  responses: (text, pieces) => {
    const message = { type: "message", id: "msg_1", role: "assistant" };
    const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
    const response = { id: "resp_1", object: "response", status: "in_progress", output: [] };
    return {
      first:
        data({ type: "response.created", response }) +
        data({ type: "response.output_item.added", output_index: 0, item: { ...message, content: [] } }) +
        data({
          type: "response.content_part.added",
          ...place,
          part: { type: "output_text", text: "", annotations: [] },
        }),
      piece: data({ type: "response.output_text.delta", ...place, delta: text }),
      last: () => {
        const content = [{ type: "output_text", text: text.repeat(pieces), annotations: [] }];
        const item = { ...message, status: "completed", content };
        return (
          data({ type: "response.output_item.done", output_index: 0, item }) +
          data({ type: "response.completed", response: { ...response, status: "completed", output: [item] } })
        );
      },
    };
  },
};

function data(payload: { type?: string; [key: string]: unknown }): string {
  return `${payload.type ? `event: ${payload.type}\n` : ""}data: ${JSON.stringify(payload)}\n\n`;
}
