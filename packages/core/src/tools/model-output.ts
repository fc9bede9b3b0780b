import type { ToolSet } from 'ai';
import type { OwnToolDefinition } from './tool-definition.ts';
import { toDataOutput, toModelOutput, type ToolResultOutput } from '../messages/tool-output.ts';
import { capOutput } from './cap-output.ts';
import { inlineOutput } from '../messages/inline-output.ts';

type Result = Parameters<NonNullable<ToolSet[string]['toModelOutput']>>[0];

/** How a tool of the AI SDK's tells the model of a result: in its own way where it has one, and no more than others may. */
export async function ownModelOutput(
  name: string,
  tool: ToolSet[string],
  result: Result,
): Promise<ToolResultOutput> {
  const { toModelOutput: own } = tool;
  return own === undefined ? toModelOutput(result.output) : capModelOutput(await own(result), name);
}

// of a tool, only this is asked for
const dataTool = {
  toModelOutput: ({ output }: Result) => toDataOutput(output),
} as unknown as ToolSet[string];

/** The tools that tell of their results in their own way, for results of earlier turns. */
export function toolsWithModelOutput(
  definitions: ReadonlyMap<string, OwnToolDefinition | { kind: 'agent' }>,
): ToolSet {
  const tools: ToolSet = {};
  for (const [name, definition] of definitions) {
    // what comes from a page is data, also where it looks like a list of parts
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
      // a client may say what a tool returned: it names no file that is fetched here, and may be none that the tool knows
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
