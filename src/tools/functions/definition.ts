import { type CustomTool, type FunctionTool, isObject, type JsonObject } from "../../turn/index.ts";
import type { Convertible } from "./gather.ts";

/** The only parameter of a free-text tool that is offered as a function. */
export const freeTextKey = "input";

/** Converts a tool to a function of this name. `about` is the description of its namespace, which is added if given. */
export function functionOf(tool: Convertible, name: string, about: string | undefined): FunctionTool {
  const { definition } = tool;
  const namespaceNote = about === undefined ? undefined : `About all tools of ${tool.namespace}: ${about}`;
  switch (definition.type) {
    case "function":
      return { ...definition, name, description: paragraphs(definition.description, namespaceNote) };
    case "custom":
      return {
        type: "function",
        name,
        description: paragraphs(definition.description, namespaceNote, aboutText(definition)),
        parameters: {
          type: "object",
          properties: { [freeTextKey]: { type: "string", description: "The whole text." } },
          required: [freeTextKey],
        },
        freeText: freeTextKey,
      };
    case "hosted": {
      const { description, parameters } = definition.definition;
      return {
        type: "function",
        name,
        description: typeof description === "string" && description !== "" ? description : "Searches for more tools.",
        parameters: isObject(parameters) && isObject(parameters.properties) ? parameters : query,
      };
    }
  }
}

/** The tool's own description may forbid JSON, which is right for the tool but not for the function. */
function aboutText({ format }: CustomTool): string {
  const how = `This tool takes free text. Here it is called as a function: put the whole text, as it is, into the string \`${freeTextKey}\`, whatever is said above about JSON.`;
  if (typeof format?.definition !== "string") return how;
  const kind = typeof format.syntax === "string" ? `${format.syntax} grammar` : "grammar";
  return `${how} The text must follow this ${kind}:\n${format.definition}`;
}

const query: JsonObject = {
  type: "object",
  properties: { query: { type: "string", description: "What the tool should be able to do." } },
  required: ["query"],
};

function paragraphs(...texts: (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined && text !== "");
  return present.length > 0 ? present.join("\n\n") : undefined;
}
