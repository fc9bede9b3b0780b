import type { ToolSet } from 'ai';
import { inlineOutput } from '../messages/inline-output.ts';
import { toDataOutput, toModelOutput, type ToolResultOutput } from '../messages/tool-output.ts';
import { capOutput } from './cap-output.ts';
import type { OwnToolDefinition } from './tool-definition.ts';

type Result = Parameters<NonNullable<ToolSet[string]['toModelOutput']>>[0];

/**
 * Returns the output of an AI SDK tool as the model reads it: as the tool's `toModelOutput` says, if it has one,
 * within the limit of all outputs.
 */
export async function ownModelOutput(
  name: string,
  tool: ToolSet[string],
  result: Result,
): Promise<ToolResultOutput> {
  const { toModelOutput: own } = tool;
  return own === undefined ? toModelOutput(result.output) : capModelOutput(await own(result), name);
}

// only this property of the tool is read
const dataTool = {
  toModelOutput: ({ output }: Result) => toDataOutput(output),
} as unknown as ToolSet[string];

/** Returns the tools with a `toModelOutput` of their own, for the results of earlier turns. */
export function toolsWithModelOutput(
  definitions: ReadonlyMap<string, OwnToolDefinition | { kind: 'agent' }>,
): ToolSet {
  const tools: ToolSet = {};
  for (const [name, definition] of definitions) {
    // output from a page is data, even if it looks like a list of parts
    if (definition.kind === 'client') tools[name] = dataTool;
    if (definition.kind !== 'ready') continue;
    const { tool } = definition;
    const { toModelOutput: own } = tool;
    if (own === undefined) continue;
    const inline: ToolSet[string] = {
      ...tool,
      toModelOutput: async (result: Result) => inlineOutput(await own(result), result.output),
    };
    tools[name] = {
      ...tool,
      // a client may claim any result of a tool: it must not name a file to fetch, and the tool may not know it
      toModelOutput: (result: Result) =>
        ownModelOutput(name, inline, result).catch(() => toModelOutput(result.output)),
    };
  }
  return tools;
}

function capModelOutput(output: ToolResultOutput, name: string): ToolResultOutput {
  if (!('value' in output)) return output;
  const value = capOutput(output.value, name);
  if (output.type === 'content' && typeof value === 'string') return { type: 'text', value };
  return { ...output, value } as ToolResultOutput;
}
