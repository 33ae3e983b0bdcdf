"""A conversation with two local tools on both APIs, with nothing but Python's standard library.

    TOOLWIRE_URL (http://127.0.0.1:8787)   TOOLWIRE_MODEL (demo)   TOOLWIRE_KEY (none)
"""

import json
import os
import sys
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone

URL = os.environ.get("TOOLWIRE_URL", "http://127.0.0.1:8787").rstrip("/").removesuffix("/v1")
MODEL = os.environ.get("TOOLWIRE_MODEL", "demo")
KEY = os.environ.get("TOOLWIRE_KEY")

QUESTIONS = ["What is the weather in Paris and the time in Tokyo?", "And the weather in Rome?"]
MOST_ROUNDS = 5


# The tools themselves.

TEMPERATURES = {"Paris": 18, "Rome": 24, "Lisbon": 21}
OFFSETS = {"Tokyo": 9, "Nairobi": 3, "Reykjavik": 0}


def get_weather(city):
    return {"city": city, "temperature_c": TEMPERATURES.get(city)}


def get_time(city):
    if city not in OFFSETS:
        return {"error": f"The time zone of {city} is not known here."}
    return {"city": city, "time": datetime.now(timezone(timedelta(hours=OFFSETS[city]))).strftime("%H:%M")}


CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = {
    "get_weather": (get_weather, "The current weather of a city", CITY),
    "get_time": (get_time, "The time of day in a city", CITY),
}


def run_tool(name, arguments):
    """What goes back to the model: the result, or what went wrong. A bad call is the model's to mend."""
    print(f"  model  calls {name} {arguments}")
    try:
        result = json.dumps(TOOLS[name][0](**json.loads(arguments)))
    except (KeyError, TypeError, ValueError) as error:
        result = json.dumps({"error": f"{type(error).__name__}: {error}"})
    print(f"  tool   {result}")
    return result


# Chat Completions: one list of messages that grows; each answer is one message.


def chat():
    tools = [
        {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}
        for name, (_, description, parameters) in TOOLS.items()
    ]
    messages = []
    for question in QUESTIONS:
        print(f"  user   {question}")
        messages.append({"role": "user", "content": question})
        for _ in range(MOST_ROUNDS):
            with post("/v1/chat/completions", {"model": MODEL, "messages": messages, "tools": tools}) as answer:
                message = json.load(answer)["choices"][0]["message"]
            messages.append(message)
            calls = message.get("tool_calls") or []
            for call in calls:
                result = run_tool(call["function"]["name"], call["function"]["arguments"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
            if not calls:
                print(f"  model  {message['content']}")
                break
        else:
            sys.exit(f"The model still calls tools after {MOST_ROUNDS} rounds.")


# Responses: one list of items that grows; each answer is a stream whose last event has all its items.


def responses():
    tools = [
        {"type": "function", "name": name, "description": description, "parameters": parameters}
        for name, (_, description, parameters) in TOOLS.items()
    ]
    items = []
    for question in QUESTIONS:
        print(f"  user   {question}")
        items.append({"role": "user", "content": question})
        for _ in range(MOST_ROUNDS):
            body = {"model": MODEL, "input": items, "tools": tools, "stream": True}
            with post("/v1/responses", body) as stream:
                output = show(stream)
            items += output
            calls = [item for item in output if item["type"] == "function_call"]
            for call in calls:
                result = run_tool(call["name"], call["arguments"])
                items.append({"type": "function_call_output", "call_id": call["call_id"], "output": result})
            if not calls:
                break
        else:
            sys.exit(f"The model still calls tools after {MOST_ROUNDS} rounds.")


def show(stream):
    """Prints text as it comes, and returns the response's items."""
    for event in events(stream):
        kind = event["type"]
        if kind == "response.content_part.added":
            print("  model  ", end="")
        elif kind == "response.output_text.delta":
            print(event["delta"], end="", flush=True)
        elif kind == "response.content_part.done":
            print()
        elif kind == "response.completed":
            return event["response"]["output"]
        elif kind == "response.incomplete":
            sys.exit(f"The answer is not whole: {event['response']['incomplete_details']['reason']}.")
        elif kind == "response.failed":
            sys.exit(event["response"]["error"]["message"])
    sys.exit("The stream ended without a terminal event.")


def events(stream):
    """The JSON of each server-sent event. Toolwire writes one data line an event; the name is also inside, as type."""
    for line in stream:
        if line.startswith(b"data: ") and line.strip() != b"data: [DONE]":
            yield json.loads(line.removeprefix(b"data: "))


def post(path, body):
    headers = {"content-type": "application/json"}
    if KEY:
        headers["authorization"] = f"Bearer {KEY}"
    request = urllib.request.Request(URL + path, json.dumps(body).encode(), headers)
    try:
        return urllib.request.urlopen(request, timeout=600)
    except urllib.error.HTTPError as error:
        sys.exit(json.load(error)["error"]["message"])
    except urllib.error.URLError as error:
        sys.exit(f"{URL} cannot be reached: {error.reason}")


if __name__ == "__main__":
    print(f"Chat Completions: {MODEL} at {URL}")
    chat()
    print(f"\nResponses, streamed: {MODEL} at {URL}")
    responses()
