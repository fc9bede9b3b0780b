import type { Definitions, Prompt, RunPromptResult } from '@cueline/core';
import { messageName, type DefinitionKind } from '../script/definition.ts';
import type { DefinitionReporter } from './report-definitions.ts';

type Method = (...args: unknown[]) => unknown;

/** Returns the definitions that a prompt has so far. Its type has them only once the prompt function has returned. */
export function definitionsOf(prompt: Prompt): Definitions {
  return (prompt as RunPromptResult['prompt']).definitions;
}

/**
 * Reports the variables, system parts, messages and task lists of a prompt while the script defines them. The
 * parameters and return values of its methods stay the same.
 */
export function reportPrompt(prompt: Prompt, definitions: DefinitionReporter, agent?: string): void {
  function report(
    method: '$' | 'def' | 'defData' | 'defSystem' | 'defMessage' | 'defTaskList' | 'defDynamicTaskList',
    inTasks: boolean,
    nameOf: (args: readonly unknown[]) => [of: DefinitionKind, name: unknown],
  ): void {
    const define = (prompt[method] as Method).bind(prompt);
    const value: Method = (...args) =>
      definitions.during(
        () => definitions.report(...nameOf(args), agent),
        () => define(...args),
      );
    // the prompts of tasks get a method that is assigned, too
    if (inTasks) Object.assign(prompt, { [method]: value });
    else Object.defineProperty(prompt, method, { value, writable: true, configurable: true });
  }

  report('def', true, ([name]) => ['variable', name]);
  report('defData', true, ([name]) => ['variable', name]);
  report('defSystem', true, (args) => ['system', args.length === 1 ? '' : args[0]]);
  // once a task has begun, the list of the prompt's messages no longer grows
  const message = (): [DefinitionKind, string] => [
    'message',
    messageName(definitionsOf(prompt).messages.length),
  ];
  report('$', false, message);
  report('defMessage', false, message);
  report('defTaskList', false, () => ['tasks', 'tasks']);
  report('defDynamicTaskList', false, () => ['tasks', 'tasks']);
}
