#!/usr/bin/env bash
# A tool round trip on both APIs with a model behind Codex. Before it, what there is to know of Codex: that nobody is logged in, say.
#   TOOLWIRE_URL (http://127.0.0.1:8787)   TOOLWIRE_MODEL (codex)   TOOLWIRE_KEY (none)
set -euo pipefail

url=${TOOLWIRE_URL:-http://127.0.0.1:8787}
url=${url%/}
curl -sS "${url%/v1}/ready" | jq -r '.message // (.notes // [])[]' >&2

export TOOLWIRE_MODEL=${TOOLWIRE_MODEL:-codex}
exec bash "$(dirname "${BASH_SOURCE[0]}")/../curl/weather.sh"
