import { createHash } from "node:crypto";

export interface PageModel {
  id: string;
  backend: string;
  kind: string;
}

export interface PageFacts {
  version: string;
  /** The gateway's base URL, without `/v1`. */
  url: string;
  models: PageModel[];
  defaultModel: string | null;
  /** Whether keys are configured. The page itself needs no key, so it then shows no model names. */
  keyed: boolean;
}

const style = `
:root {
  color-scheme: light dark;
  --ground: #faf8f5; --panel: #fff; --ink: #1f1b18; --soft: #6b625b; --line: #e6dfd8;
  --copper: #a8501c; --tint: #f7e9df; --live: #2f7d4f;
  --code: #211c19; --code-ink: #ece4dc; --code-soft: #a79b91; --code-line: #3a322d; --key: #f0b48a; --string: #b9d3a4;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #141210; --panel: #1c1917; --ink: #f1ebe5; --soft: #a99e95; --line: #332d29;
    --copper: #eb9a66; --tint: #36251a; --live: #69c08c; --code: #0e0c0b; --code-line: #332d29;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.6 var(--sans); -webkit-text-size-adjust: 100%; }
main { width: min(46rem, 100% - 2.5rem); margin-inline: auto; }
header { padding-block: clamp(2.5rem, 8vw, 5rem) 2.25rem; }
.mark { display: flex; align-items: center; gap: .7rem; }
.mark svg { width: 2.3rem; height: 2.3rem; color: var(--copper); flex: none; }
h1 { margin: 0; font-size: 1.55rem; line-height: 1.2; letter-spacing: -.02em; font-weight: 650; }
.version { font: .78rem var(--mono); color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: .12rem .55rem; }
.lead { margin: 1.35rem 0 0; max-width: 42rem; font-size: clamp(1.1rem, 2.6vw, 1.28rem); line-height: 1.5; text-wrap: balance; }
.address { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem .6rem; margin: 1.4rem 0 0; color: var(--soft); font-size: .92rem; }
.address code { color: var(--ink); font-size: .95rem; overflow-wrap: anywhere; }
.live { width: .55rem; height: .55rem; border-radius: 50%; background: var(--live); flex: none; }
code, pre { font-family: var(--mono); }
section { margin-bottom: 2.75rem; }
section:last-child { margin-bottom: 4rem; }
h2 { display: flex; align-items: baseline; gap: .55rem; margin: 0 0 .8rem; font-size: 1.02rem; font-weight: 650; letter-spacing: -.005em; }
h2 small { font-size: .85rem; font-weight: 400; color: var(--soft); }
p { margin: 0 0 .9rem; text-wrap: pretty; }
.note { color: var(--soft); font-size: .93rem; }
.models { list-style: none; margin: 0; padding: 0; max-height: 24.5rem; overflow: auto; background: var(--panel); border: 1px solid var(--line); border-radius: .7rem; }
.models li { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .8rem; padding: .6rem 1rem; }
.models li + li { border-top: 1px solid var(--line); }
.models code { font-size: .92rem; overflow-wrap: anywhere; }
.models .from { margin-left: auto; color: var(--soft); font-size: .86rem; }
.badge { font-size: .74rem; line-height: 1.5; color: var(--copper); background: var(--tint); border-radius: 99px; padding: .05rem .55rem; }
.box { padding: 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: .7rem; }
.code { position: relative; background: var(--code); color: var(--code-ink); border: 1px solid var(--code-line); border-radius: .7rem; }
.code pre { margin: 0; padding: 1.05rem 1.15rem; overflow: auto; font-size: .84rem; line-height: 1.65; tab-size: 2; border-radius: inherit; }
.code .key { color: var(--key); }
.code .string { color: var(--string); }
.code .flag { color: var(--code-soft); }
.code ::selection { color: #fff; background: #6d4a33; }
button { position: absolute; top: .6rem; right: .6rem; font: 500 .78rem var(--sans); color: var(--code-ink); background: #3a322d; border: 1px solid #4b413b; border-radius: .45rem; padding: .3rem .7rem; cursor: pointer; }
button:hover { background: #4b413b; }
.tabs > input { position: absolute; opacity: 0; pointer-events: none; }
.tabs > label { display: inline-block; margin: 0 .35rem .7rem 0; padding: .28rem .85rem; border: 1px solid var(--line); border-radius: 99px; color: var(--soft); font-size: .9rem; cursor: pointer; }
.tabs > label:hover { color: var(--ink); }
.tabs > input:checked + label { color: var(--copper); background: var(--tint); border-color: transparent; font-weight: 550; }
.tabs > .code { display: none; }
#chat:checked ~ .chat, #responses:checked ~ .responses { display: block; }
a { color: var(--copper); text-underline-offset: .2em; text-decoration-thickness: 1px; }
a:focus-visible, button:focus-visible, pre:focus-visible, .models:focus-visible, .tabs > input:focus-visible + label { outline: 2px solid var(--copper); outline-offset: 2px; }
.links { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .7rem; list-style: none; margin: 0; padding: 0; }
.links a { display: block; height: 100%; padding: .75rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: .7rem; color: var(--ink); text-decoration: none; }
.links a:hover { border-color: var(--copper); }
.links code { color: var(--copper); font-size: .92rem; }
.links span { display: block; color: var(--soft); font-size: .86rem; line-height: 1.45; }
@media (max-width: 34rem) {
  .models .from { margin-left: 0; width: 100%; }
  .code pre { font-size: .78rem; padding-top: 3rem; }
}
`;

/** Only adds the copy buttons: the page works without the script. */
const script = `
for (const button of document.querySelectorAll("button[data-copies]")) {
  const source = document.getElementById(button.dataset.copies);
  button.hidden = false;
  button.addEventListener("click", async () => {
    let copied = true;
    try {
      await navigator.clipboard.writeText(source.textContent);
    } catch {
      getSelection().selectAllChildren(source);
      copied = document.execCommand("copy");
    }
    button.textContent = copied ? "Copied" : "Selected";
    setTimeout(() => { button.textContent = "Copy"; }, 1600);
  });
}
`;

/** The headers of the page. They allow only its own script and style, by hash, and no external resources. */
export const pageHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** The page at `/`: the version, the models, and an example request. */
export function renderPage(facts: PageFacts): string {
  const { url } = facts;
  const model = exampleModel(facts);
  const request = requests(model ?? "MODEL");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Toolwire</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark('xmlns="http://www.w3.org/2000/svg" color="#c2682f"'))}">
<style>${style}</style>
</head>
<body>
<main>
<header>
<div class="mark">${mark('aria-hidden="true"')}<h1>Toolwire</h1><span class="version">${escapeHtml(facts.version)}</span></div>
<p class="lead">A gateway for tool calling: any client of Chat Completions or Responses, any model behind it, and calls that arrive whole.</p>
<p class="address"><span class="live"></span>Running. Base URL for clients: <code>${escapeHtml(url)}/v1</code></p>
</header>
<section aria-labelledby="models">${facts.keyed ? hiddenModels(url) : listedModels(facts)}</section>
<section aria-labelledby="request">
<h2 id="request">Try a tool call</h2>
<p class="note">Paste this into a terminal. The answer is a call of <code>get_weather</code> for the client to run.${model === null ? " Put the name of a model in place of <code>MODEL</code>." : ""}</p>
<div class="tabs" role="group" aria-label="API">
<input type="radio" name="api" id="chat" checked><label for="chat">Chat Completions</label>
<input type="radio" name="api" id="responses"><label for="responses">Responses</label>
${codeBlock("chat", curl(`${url}/v1/chat/completions`, facts.keyed, request.chat))}
${codeBlock("responses", curl(`${url}/v1/responses`, facts.keyed, request.responses))}
</div>
</section>
<section aria-labelledby="look">
<h2 id="look">Look inside</h2>
<ul class="links">
<li><a href="/v1/models"><code>/v1/models</code><span>Models, as clients list them${facts.keyed ? "; needs a key" : ""}</span></a></li>
<li><a href="/health"><code>/health</code><span>Whether the gateway is up</span></a></li>
<li><a href="/metrics"><code>/metrics</code><span>Prometheus text</span></a></li>
</ul>
</section>
</main>
<script>${script}</script>
</body>
</html>
`;
}

function listedModels({ models, defaultModel }: PageFacts): string {
  if (models.length === 0) {
    return `<h2 id="models">Models</h2>
<p class="box">No model is set up here yet. Add a backend to the configuration file and start again.</p>`;
  }
  const rows = models.map(
    ({ id, backend, kind }) =>
      `<li><code>${escapeHtml(id)}</code>${id === defaultModel ? '<span class="badge">default</span>' : ""}` +
      `<span class="from">${escapeHtml(backend === kind ? kind : `${backend} · ${kind}`)}</span></li>`,
  );
  return `<h2 id="models">Models <small>${models.length}</small></h2>
<ul class="models"${models.length > 5 ? ' tabindex="0"' : ""} aria-labelledby="models">
${rows.join("\n")}
</ul>`;
}

function hiddenModels(url: string): string {
  return `<h2 id="models">Models</h2>
<p class="note">Keys are on, so the models are listed for those who have one. Set <code>TOOLWIRE_KEY</code> to yours:</p>
${codeBlock("list", curl(`${url}/v1/models`, true))}`;
}

/** The model of the example request; null if keys are configured, because then model names are not public. */
function exampleModel({ keyed, defaultModel, models }: PageFacts): string | null {
  return keyed ? null : (defaultModel ?? models[0]?.id ?? null);
}

/** The same question for both APIs. Chat nests a tool one level deeper. */
function requests(model: string): { chat: string; responses: string } {
  const name = JSON.stringify(model);
  const question = '"What is the weather in Lisbon?"';
  const schema = `{
        "type": "object",
        "properties": { "city": { "type": "string" } },
        "required": ["city"]
      }`;
  return {
    chat: `{
    "model": ${name},
    "messages": [{ "role": "user", "content": ${question} }],
    "tools": [{ "type": "function", "function": {
      "name": "get_weather",
      "parameters": ${schema}
    } }],
    "tool_choice": "required"
  }`,
    responses: `{
    "model": ${name},
    "input": ${question},
    "tools": [{
      "type": "function",
      "name": "get_weather",
      "parameters": ${schema}
    }],
    "tool_choice": "required"
  }`,
  };
}

function curl(url: string, keyed: boolean, body?: string): string {
  const lines = [`curl ${shellWord(url)}`];
  if (keyed) lines.push('-H "Authorization: Bearer $TOOLWIRE_KEY"');
  if (body !== undefined) lines.push('-H "Content-Type: application/json"', `-d ${shellQuote(body)}`);
  return lines.join(" \\\n  ");
}

function shellWord(text: string): string {
  return /^[\w:/.%~-]+$/.test(text) ? text : shellQuote(text);
}

/** Inside single quotes a shell takes every character literally, except the quote itself. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function codeBlock(name: string, text: string): string {
  return `<div class="code ${name}"><button type="button" data-copies="${name}-code" aria-live="polite" hidden>Copy</button>
<pre tabindex="0"><code id="${name}-code">${highlight(text)}</code></pre></div>`;
}

/** Marks JSON keys, JSON strings and curl flags for colouring. */
function highlight(text: string): string {
  const token = /("(?:[^"\\]|\\.)*"?)|(?<=\s)(-[Hd])(?=\s)/g;
  const colon = /\s*:/y;
  let html = "";
  let from = 0;
  for (const { 0: whole, 1: string, index } of text.matchAll(token)) {
    const end = index + whole.length;
    colon.lastIndex = end;
    const kind = string === undefined ? "flag" : colon.test(text) ? "key" : "string";
    html += `${escapeHtml(text.slice(from, index))}<span class="${kind}">${escapeHtml(whole)}</span>`;
    from = end;
  }
  return html + escapeHtml(text.slice(from));
}

/** The logo: two ends and the wire between them. */
function mark(attributes: string): string {
  return `<svg viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" ${attributes}><circle cx="6.5" cy="9" r="3.5"/><circle cx="25.5" cy="23" r="3.5"/><path d="M10 9h5a4 4 0 0 1 4 4v0a4 4 0 0 1-4 4h-2a3 3 0 0 0-3 3v0a3 3 0 0 0 3 3h9"/></svg>`;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
