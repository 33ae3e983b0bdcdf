import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ImageFetcher } from "../../../src/backends/codex/image-fetcher.ts";
import { isPublic } from "../../../src/backends/codex/public-addresses.ts";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const never = new AbortController().signal;
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({ close: () => server.closeAllConnections() }, server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function fetcher(isAllowed?: (address: string) => boolean): ImageFetcher {
  const made = new ImageFetcher(isAllowed);
  open.push(made);
  return made;
}

const anywhere = () => fetcher(() => true);

describe("an image on the network", () => {
  it("comes as a data: URL of the type that it is, whatever the server calls it", async () => {
    const url = await serve((_, reply) => reply.setHeader("content-type", "text/plain").end(png));
    expect(await anywhere().fetch(url, never)).toBe(`data:image/png;base64,${png.toString("base64")}`);
  });

  it("is found behind a redirect, but not behind many", async () => {
    const url = await serve((request, reply) => {
      const left = Number(request.url?.slice(1) || 0);
      if (left === 0) reply.end(png);
      else reply.writeHead(302, { location: `/${left - 1}` }).end();
    });
    expect(await anywhere().fetch(`${url}/3`, never)).toMatch(/^data:image\/png/);
    await expect(anywhere().fetch(`${url}/4`, never)).rejects.toThrow("too many redirects");
  });

  it.each<[string, RequestListener, RegExp]>([
    [
      "is a page",
      (_, reply) => reply.setHeader("content-type", "image/png").end("<html>"),
      /no PNG, JPEG, GIF or WebP/,
    ],
    ["is not there", (_, reply) => reply.writeHead(404).end("secret"), /^the answer was 404$/],
    ["is too large", (_, reply) => reply.end(Buffer.concat([png, Buffer.alloc(21 * 1024 * 1024)])), /larger than 20mb/],
  ])("is refused where it %s", async (_, listener, why) => {
    await expect(anywhere().fetch(await serve(listener), never)).rejects.toThrow(why);
  });

  it("is left alone when the client leaves", async () => {
    const url = await serve(() => {});
    await expect(anywhere().fetch(url, AbortSignal.timeout(50))).rejects.toThrow();
  });

  it.each(["http://127.0.0.1:9/x.png", "http://[::1]:9/x.png", "http://localhost:9/x.png", "http://2130706433:9/"])(
    "is never looked for on this machine: %s",
    async (url) => {
      await expect(fetcher().fetch(url, never)).rejects.toThrow("not a public one");
    },
  );

  it("is not looked for where a redirect leads inside, or to another kind of address", async () => {
    const to = (location: string) => serve((_, reply) => reply.writeHead(302, { location }).end());
    let asked = 0;
    const firstOnly = () => fetcher(() => asked++ === 0);
    await expect(firstOnly().fetch(await to("http://127.0.0.1:9/"), never)).rejects.toThrow("not a public one");
    await expect(anywhere().fetch(await to("file:///etc/passwd"), never)).rejects.toThrow("not one of the web");
  });
});

describe("a public address", () => {
  it.each(["93.184.216.34", "8.8.8.8", "2606:4700::1111"])("is %s", (address) => {
    expect(isPublic(address)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "169.254.169.254",
    "172.31.0.1",
    "192.168.1.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "fc00::1",
    "fe80::1",
    "ff02::1",
    "2002:7f00:1::",
    "example.com",
    "",
  ])("is not %s", (address) => {
    expect(isPublic(address)).toBe(false);
  });
});
