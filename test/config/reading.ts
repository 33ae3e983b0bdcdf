import { type Config, ConfigError, mistakeLine, type ParseOptions, parseConfig } from "../../src/config/index.ts";

const usual: ParseOptions = {
  dialects: [],
  environment: {},
  directory: "/etc/toolwire",
};

/** The configuration that a file with this text gives. */
export function read(text: string, options: Partial<ParseOptions> = {}): Config {
  return parseConfig(text, { ...usual, ...options });
}

/** The lines that a file with this text is answered with; none when it is fine. */
export function mistakesIn(text: string, options: Partial<ParseOptions> = {}): string[] {
  try {
    read(text, options);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes.map(mistakeLine);
    throw error;
  }
}
