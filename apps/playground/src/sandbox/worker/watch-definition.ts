import { CuelineError, type Prompt, type PromptDefinition } from '@cueline/core';
import { describeError } from './describe-error.ts';

/**
 * The same prompt, whose tools let the page see what has happened so far before their own code runs (which may never
 * return), and which tells `onError` what its function and its tools threw.
 */
export function watchDefinition(
  definition: PromptDefinition<unknown>,
  settle: () => Promise<void>,
  onError: (error: unknown, toolCallId?: string) => void,
): PromptDefinition<unknown> {
  const { model: _model, ...rest } = definition;
  return {
    // The model is the one that the person picked, whatever the script says.
    ...rest,
    async run(prompt, input) {
      watchTools(prompt, settle, onError);
      try {
        await definition.run(prompt, input);
      } catch (error) {
        onError(error);
        throw CuelineError.isInstance(error)
          ? error
          : new CuelineError('script_error', describeError(error), { cause: error });
      }
    },
  };
}

type ToolFunction = Parameters<Prompt['defTool']>[3];

function watchTools(
  prompt: Prompt,
  settle: () => Promise<void>,
  onError: (error: unknown, toolCallId?: string) => void,
): void {
  const defTool = prompt.defTool.bind(prompt);
  prompt.defTool = (name, description, schema, fn, ...rest) => {
    if (typeof fn !== 'function') return defTool(name, description, schema, fn, ...rest);
    const call = fn as ToolFunction;
    const streams = isGeneratorFunction(call);
    const watched: ToolFunction = streams
      ? async function* (args, context) {
          await settle();
          try {
            yield* call(args, context) as AsyncIterable<unknown>;
          } catch (error) {
            onError(error, context.toolCallId);
            throw error;
          }
        }
      : async (args, context) => {
          await settle();
          try {
            return await lastOf(await call(args, context));
          } catch (error) {
            onError(error, context.toolCallId);
            throw error;
          }
        };
    return defTool(name, description, schema, watched as typeof fn, ...rest);
  };
}

function isGeneratorFunction(fn: unknown): boolean {
  return Object.prototype.toString.call(fn) === '[object AsyncGeneratorFunction]';
}

/** What a plain function returned; of an async iterable its last value, which is the tool's result to the AI SDK. */
async function lastOf(output: unknown): Promise<unknown> {
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (last of output as AsyncIterable<unknown>);
  return last;
}
