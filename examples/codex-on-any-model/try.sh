#!/usr/bin/env bash
# One run of the real Codex against a running gateway, in a folder and with a home of its own, so that nothing of yours is touched.
# Codex says that it does not like a temporary folder: that is harmless. The model has to run one harmless command and say what it printed. Needs `codex` on the PATH: npm install -g @openai/codex
#   TOOLWIRE_URL (http://127.0.0.1:8787)   TOOLWIRE_MODEL (demo)   TOOLWIRE_KEY (none)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
url=${TOOLWIRE_URL:-http://127.0.0.1:8787}
url=${url%/}
url=${url%/v1}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/home" "$scratch/work"
echo "Hello from a file" >"$scratch/work/hello.txt"
sed -e "s|^model = .*|model = \"${TOOLWIRE_MODEL:-demo}\"|" \
  -e "s|http://127.0.0.1:8787|$url|" \
  -e "s|^experimental_bearer_token = .*|experimental_bearer_token = \"${TOOLWIRE_KEY:-none}\"|" \
  "$here/config.toml" >"$scratch/home/config.toml"

CODEX_HOME=$scratch/home codex exec --skip-git-repo-check -C "$scratch/work" "$@" \
  'Run the command "cat hello.txt" and say what it printed.' </dev/null
