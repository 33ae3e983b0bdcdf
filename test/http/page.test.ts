import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type PageFacts, pageHeaders, renderPage } from "../../src/http/page.ts";

const facts: PageFacts = {
  version: "1.2.3",
  url: "http://127.0.0.1:8787",
  models: [
    { id: "demo", backend: "demo", kind: "demo" },
    { id: "fast", backend: "provider", kind: "chat" },
  ],
  defaultModel: "fast",
  keyed: false,
};

const inside = (html: string, tag: string) => [...html.matchAll(new RegExp(`<${tag}>([^]*?)</${tag}>`, "g"))];

/** The text of a block as a person copies it. */
function copied(html: string, block: string): string {
  const code = html.match(new RegExp(`<code id="${block}-code">([^]*?)</code>`))?.[1] ?? "";
  const characters: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return code.replace(/<[^>]+>/g, "").replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] ?? "");
}

/** What a shell makes of a copied command: the arguments that curl would get. */
function argumentsOf(command: string): string[] {
  const show = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const env = { ...process.env, TOOLWIRE_KEY: "secret" };
  return execFileSync("sh", ["-c", show], { env, encoding: "utf8" }).split("\0").slice(0, -1);
}

describe("the page at /", () => {
  it("tells the version, the address and each model with where it goes", () => {
    const html = renderPage(facts);

    expect(html).toContain("1.2.3");
    expect(html).toContain("http://127.0.0.1:8787/v1");
    expect(html).toContain("<code>demo</code>");
    expect(html).toContain('<code>fast</code><span class="badge">default</span>');
    expect(html).toContain("provider · chat");
    for (const path of ["/v1/models", "/health", "/metrics"]) expect(html).toContain(`href="${path}"`);
  });

  it.each([
    ["chat", "/v1/chat/completions"],
    ["responses", "/v1/responses"],
  ])("gives a %s request that a shell reads as it is meant", (block, path) => {
    const [url, ...rest] = argumentsOf(copied(renderPage(facts), block));
    const body = JSON.parse(rest.at(-1) ?? "");

    expect(url).toBe(`http://127.0.0.1:8787${path}`);
    expect(rest).not.toContain("Authorization: Bearer secret");
    expect(body).toMatchObject({ model: "fast", tool_choice: "required" });
    expect(JSON.stringify(body.tools)).toContain("get_weather");
  });

  it("asks for the first model where none is the default", () => {
    const command = copied(renderPage({ ...facts, defaultModel: null }), "chat");

    expect(JSON.parse(argumentsOf(command).at(-1) ?? "")).toMatchObject({ model: "demo" });
  });

  it("says so when there is no model", () => {
    expect(renderPage({ ...facts, models: [], defaultModel: null })).toContain("No model is set up here yet");
  });

  it("escapes everything, for HTML and for the shell", () => {
    const hostile = `</code><script>alert(1)</script>'"&$(touch pwned)`;
    const html = renderPage({
      version: hostile,
      url: `http://host/${hostile}`,
      models: [{ id: hostile, backend: hostile, kind: hostile }],
      defaultModel: hostile,
      keyed: false,
    });
    const [url, ...rest] = argumentsOf(copied(html, "chat"));

    expect(inside(html, "script")).toHaveLength(1);
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain(hostile);
    expect(url).toBe(`http://host/${hostile}/v1/chat/completions`);
    expect(JSON.parse(rest.at(-1) ?? "")).toMatchObject({ model: hostile });
  });

  it("allows its own script and style by hash, and nothing else", () => {
    const policy = pageHeaders["content-security-policy"] ?? "";
    const html = renderPage(facts);

    for (const tag of ["script", "style"]) {
      const [element, ...others] = inside(html, tag);
      const hash = createHash("sha256")
        .update(element?.[1] ?? "")
        .digest("base64");
      expect(policy).toContain(`${tag}-src 'sha256-${hash}'`);
      expect(others).toEqual([]);
    }
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(html).not.toMatch(/\s(style|on\w+)=|<(script|link|img)[^>]+(src|href)="(?!data:)/);
  });

  it("hides the models from people without a key", () => {
    const html = renderPage({
      ...facts,
      models: [{ id: "private-model", backend: "private-backend", kind: "responses" }],
      defaultModel: "private-default",
      keyed: true,
    });

    expect(html).not.toContain("private");
    expect(html).toContain("Keys are on");
    for (const block of ["list", "chat", "responses"]) {
      expect(copied(html, block)).toContain("$TOOLWIRE_KEY");
      expect(argumentsOf(copied(html, block))).toContain("Authorization: Bearer secret");
    }
  });
});
