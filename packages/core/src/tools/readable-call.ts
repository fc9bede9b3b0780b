import type { LanguageModelV4ToolResult } from '@ai-sdk/provider';
import { isTooDeep, MAX_JSON_DEPTH } from '../json/json-depth.ts';

/** Arguments up to this length are repeated to the model where they are not JSON, in characters. */
const MAX_REPEATED = 10_000;

/**
 * The arguments of a tool call as the model wrote them. Where they are nested too deep, or are long and not JSON, a
 * sentence that says so stands in their place: it is not JSON, so no tool runs, and the model reads it as the error.
 */
export function readableInput(input: string): string {
  if (isTooDeep(input)) {
    return `[The arguments are nested more than ${MAX_JSON_DEPTH} levels deep, so the tool was not run. Call it with flatter arguments.]`;
  }
  if (input.length <= MAX_REPEATED || isJson(input)) return input;
  return `[The arguments, ${input.length} characters, are not JSON, so the tool was not run. They begin with: ${input.slice(0, 200)}]`;
}

/** What a tool of the provider's returned; an error in its place where that is nested too deep. */
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
