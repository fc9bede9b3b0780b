import { tool, type NamedTool, type PromptConfig } from '@cueline/core';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { call, go, play } from '../support.ts';

export type Call = { name: string; args?: unknown };

/** What a composite tool with these parts answers to these calls. */
export async function batch(
  tools: readonly NamedTool[],
  calls: readonly Call[],
  config: Omit<PromptConfig, 'model'> = {},
) {
  const played = await play(
    go((prompt) => prompt.defTool('kit', 'A kit', tools)),
    [[call('kit', { calls })], 'Done.'],
    config,
  );
  const [toolCall] = played.run.getState().toolCalls;
  return {
    ...played,
    toolCall: toolCall!,
    output: toolCall!.output,
    answer: sent(played.model)[1]?.messages.at(-1),
  };
}

export const none = z.object({});

export const echo = tool('echo', 'Says it again', z.object({ text: z.string() }), ({ text }) => text);

export const say = (text: string): Call => ({ name: 'echo', args: { text } });
