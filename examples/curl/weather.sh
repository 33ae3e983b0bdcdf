#!/usr/bin/env bash
# One tool round trip on each API: the model asks for a call, we run it, and the model answers with its result.
#   TOOLWIRE_URL (http://127.0.0.1:8787)   TOOLWIRE_MODEL (demo)   TOOLWIRE_KEY (none)
set -euo pipefail

url=${TOOLWIRE_URL:-http://127.0.0.1:8787}
url=${url%/}
url=${url%/v1}
model=${TOOLWIRE_MODEL:-demo}
question='What is the weather in Lisbon?'

description='The current weather of a city'
parameters='{
  "type": "object",
  "properties": { "city": { "type": "string", "description": "The name of the city" } },
  "required": ["city"],
  "additionalProperties": false
}'

# The tool itself: arguments in, result out, both JSON.
get_weather() {
  jq -c '{ city, temperature_c: 21, sky: "clear" }' <<<"$1"
}

run_tool() { # name, arguments
  case $1 in
    get_weather) get_weather "$2" ;;
    *) printf 'There is no tool %s.' "$1" ;;
  esac
}

# Sends the body from standard input; an error's message ends the script.
post() { # path
  local headers=(-H 'content-type: application/json') answer
  if [[ -n ${TOOLWIRE_KEY:-} ]]; then headers+=(-H "authorization: Bearer $TOOLWIRE_KEY"); fi
  if ! answer=$(curl -sS --fail-with-body "${headers[@]}" --data-binary @- "$url$1"); then
    jq -r '.error.message' <<<"$answer" >&2 || true
    exit 1
  fi
  printf '%s' "$answer"
}

say() { # who, what
  printf '  %-6s %s\n' "$1" "$2"
}

chat() { # messages
  jq -n --arg model "$model" --argjson messages "$1" --arg description "$description" --argjson parameters "$parameters" '{
    $model,
    $messages,
    tools: [{ type: "function", function: { name: "get_weather", $description, $parameters } }]
  }' | post /v1/chat/completions | jq -c '.choices[0].message'
}

chat_round_trip() {
  local messages message call name arguments result
  say user "$question"
  messages=$(jq -cn --arg question "$question" '[{ role: "user", content: $question }]')
  message=$(chat "$messages")

  # The call goes back as it came, and right after it the result, with the call's id.
  messages=$(jq -c --argjson message "$message" '. + [$message]' <<<"$messages")
  while read -r call; do
    name=$(jq -r '.function.name' <<<"$call")
    arguments=$(jq -r '.function.arguments' <<<"$call")
    result=$(run_tool "$name" "$arguments")
    say model "calls $name $arguments"
    say tool "$result"
    messages=$(jq -c --argjson call "$call" --arg result "$result" \
      '. + [{ role: "tool", tool_call_id: $call.id, content: $result }]' <<<"$messages")
  done < <(jq -c '.tool_calls // [] | .[]' <<<"$message")

  if jq -e '.tool_calls // [] | length > 0' <<<"$message" >/dev/null; then message=$(chat "$messages"); fi
  say model "$(jq -r '.content' <<<"$message")"
}

responses() { # input
  jq -n --arg model "$model" --argjson input "$1" --arg description "$description" --argjson parameters "$parameters" '{
    $model,
    $input,
    tools: [{ type: "function", name: "get_weather", $description, $parameters }]
  }' | post /v1/responses | jq -c '.output'
}

responses_round_trip() {
  local input output call name arguments result
  say user "$question"
  input=$(jq -cn --arg question "$question" '[{ role: "user", content: $question }]')
  output=$(responses "$input")

  # The whole output goes back as it came, and after it a result for each call, with the call's call_id.
  input=$(jq -c --argjson output "$output" '. + $output' <<<"$input")
  while read -r call; do
    name=$(jq -r '.name' <<<"$call")
    arguments=$(jq -r '.arguments' <<<"$call")
    result=$(run_tool "$name" "$arguments")
    say model "calls $name $arguments"
    say tool "$result"
    input=$(jq -c --argjson call "$call" --arg result "$result" \
      '. + [{ type: "function_call_output", call_id: $call.call_id, output: $result }]' <<<"$input")
  done < <(jq -c '.[] | select(.type == "function_call")' <<<"$output")

  if jq -e 'any(.type == "function_call")' <<<"$output" >/dev/null; then output=$(responses "$input"); fi
  say model "$(jq -r '[.[] | select(.type == "message") | .content[].text] | join("")' <<<"$output")"
}

echo "Chat Completions: $model at $url"
chat_round_trip
echo
echo "Responses: $model at $url"
responses_round_trip
