import type { ScriptedModel } from '@cueline/core/testing';

/** The input of a model call. */
export type ModelCall = Parameters<ScriptedModel['doStream']>[0];

/** A part of the model's answer. */
export type ModelStreamPart =
  Awaited<ReturnType<ScriptedModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

type ToolResult = { toolName: string; text: string };

/** The parts of a call on which the simulated model bases its answer. */
export type ReadCall = {
  system: string;
  /** The last user message. */
  said: string;
  /** All user messages. */
  asked: string[];
  /** The model's own text since then. */
  replied: string;
  /** The results of tools since then, in order. */
  results: ToolResult[];
};

/** Reads a call. */
export function readCall({ prompt }: ModelCall): ReadCall {
  const since = prompt.findLastIndex(({ role }) => role === 'user');
  return {
    system: prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n'),
    said: textOf(prompt[since]),
    asked: prompt.filter(({ role }) => role === 'user').map(textOf),
    replied: prompt
      .slice(since + 1)
      .map((message) => (message.role === 'assistant' ? textOf(message) : ''))
      .join('\n'),
    results: prompt.slice(since + 1).flatMap((message) => {
      if (message.role !== 'tool') return [];
      return message.content.flatMap((part) => {
        if (part.type !== 'tool-result') return [];
        const { toolName, output } = part;
        return [{ toolName, text: textOfOutput(output) }];
      });
    }),
  };
}

type ToolOutput = Extract<
  Extract<ModelCall['prompt'][number], { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output'];

function textOfOutput(output: ToolOutput): string {
  if (output.type === 'content')
    return output.value.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  if (!('value' in output)) return '';
  return typeof output.value === 'string' ? output.value : JSON.stringify(output.value);
}

function textOf(message: ModelCall['prompt'][number] | undefined): string {
  if (message === undefined) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
