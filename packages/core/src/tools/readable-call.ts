import type { LanguageModelV4ToolResult } from '@ai-sdk/provider';
import { isTooDeep, MAX_JSON_DEPTH } from '../json/json-depth.ts';
import { parseJson } from '../json/parse-json.ts';

/** The maximum length of invalid arguments that are repeated to the model, in characters. */
const MAX_REPEATED = 10_000;

/**
 * Returns the arguments of a tool call as the model wrote them. If they are nested too deep, or are long and not
 * JSON, returns a sentence that says so instead. The sentence is not JSON, so no tool runs and the model reads it as
 * the error.
 */
export function readableInput(input: string): string {
  if (isTooDeep(input)) {
    return `[The arguments are nested more than ${MAX_JSON_DEPTH} levels deep, so the tool was not run. Call it with flatter arguments.]`;
  }
  if (input.length <= MAX_REPEATED || parseJson(input) !== undefined) return input;
  return `[The arguments, ${input.length} characters, are not JSON, so the tool was not run. They begin with: ${input.slice(0, 200)}]`;
}

/** Returns a result of a provider's tool, or an error if it is nested too deep. */
export function readableResult(part: LanguageModelV4ToolResult): LanguageModelV4ToolResult {
  return isReadable(part.result)
    ? part
    : {
        ...part,
        result: `The result is nested more than ${MAX_JSON_DEPTH} levels deep, so it was left out.`,
        isError: true,
      };
}

function isReadable(result: unknown): boolean {
  try {
    return typeof result !== 'object' || !isTooDeep(JSON.stringify(result));
  } catch {
    return false;
  }
}
