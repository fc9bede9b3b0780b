import type { Instructions, PrepareStepFunction, PrepareStepResult, ToolSet } from 'ai';
import { CuelineError } from '../errors.ts';
import type { Models } from '../models/create-models.ts';

type PrepareStepOptions = {
  /** The system prompt as the definitions stand now. */
  compile: () => Instructions | undefined;
  /** The run's tools; the AI SDK reads them anew at every step. */
  tools: ToolSet;
  activeTools: readonly string[] | undefined;
  /** The caller's own `prepareStep`, which has the last word. */
  own: PrepareStepFunction<ToolSet> | undefined;
  /** Where a model named by the caller's `prepareStep` comes from. */
  models: Models;
  /** Told what the caller's own `prepareStep` changes, step by step. */
  onChange: (changed: Exclude<PrepareStepResult<ToolSet>, undefined>) => void;
};

/** What is sent at each step: the definitions compiled anew, then whatever the caller's own `prepareStep` changes. */
export function createPrepareStep(options: PrepareStepOptions): PrepareStepFunction<ToolSet> {
  /** What the caller put in the place of the system prompt. As in the AI SDK, it holds for later steps too. */
  let replaced: Instructions | undefined;
  return async (step) => {
    const instructions = replaced ?? options.compile();
    const compiled = {
      // a list made here is a snapshot: a tool defined while the step runs cannot be called in it
      activeTools: options.activeTools?.slice() ?? Object.keys(options.tools),
      ...(instructions === undefined ? {} : { instructions }),
    };
    if (options.own === undefined) return compiled;
    const changed = await callOwn(options.own, { ...step, instructions });
    options.onChange(changed ?? {});
    if (changed === undefined) return compiled;
    const { system, model, ...settings } = changed;
    replaced = settings.instructions ?? system ?? replaced;
    return {
      ...compiled,
      ...withoutUndefined(settings),
      ...(replaced === undefined ? {} : { instructions: replaced }),
      ...(model === undefined ? {} : { model: await options.models.resolve(model) }),
    };
  };
}

async function callOwn(
  own: PrepareStepFunction<ToolSet>,
  step: Parameters<PrepareStepFunction<ToolSet>>[0],
): Promise<PrepareStepResult<ToolSet>> {
  try {
    return await own(step);
  } catch (error) {
    if (CuelineError.isInstance(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new CuelineError('script_error', `prepareStep threw at step ${step.stepNumber}: ${message}`, {
      cause: error,
    });
  }
}

function withoutUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Value;
}
