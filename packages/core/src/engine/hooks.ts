import type { Instructions, LanguageModel, ModelMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { copyOnWriteMessages } from '../messages/copy-on-write-messages.ts';
import type { Variable } from '../prompt/definitions.ts';
import type { Hook, HookResult, HookStep, HookVariable } from '../prompt/hook.ts';
import { dataVariable, textVariable } from '../prompt/variables.ts';
import { readHookResult } from './hook-result.ts';

/** What a step sends, while the hooks change it. */
export type HookedStep = {
  messages: readonly ModelMessage[];
  /** True once a hook has replaced the messages. */
  replaced: boolean;
  activeTools: readonly string[];
  /** The replacement of the compiled system prompt, if there is one. */
  system: Instructions | undefined;
  model: string | LanguageModel | undefined;
  /** Call settings, tool choice, provider options. */
  settings: Omit<HookResult, 'messages' | 'activeTools' | 'system' | 'model' | 'variables'>;
};

export type HookEnvironment = {
  step: Pick<HookStep, 'model' | 'steps' | 'stepNumber'>;
  /** Returns the map that contains the variable, or would: the task's or the run's own. */
  variablesWith: (name: string) => Map<string, Variable>;
  /** Returns the current variables, including those of the task. */
  visible: () => ReadonlyMap<string, Variable>;
  /** Compiles the system prompt again after variables have changed. */
  compile: () => Instructions | undefined;
  toolNames: readonly string[];
  warn: (message: string) => void;
  /** Called with the position of a hook and the names of the fields that it has returned, if there are any. */
  onChanged: (index: number, changed: string[]) => void;
};

/** Calls the hooks in order. Each sees the results of the ones before. */
export async function runHooks(
  hooks: readonly Hook[],
  messages: readonly ModelMessage[],
  activeTools: readonly string[],
  surroundings: HookEnvironment,
): Promise<HookedStep> {
  const { step, toolNames, warn, onChanged } = surroundings;
  const sent: HookedStep = {
    messages,
    replaced: false,
    activeTools,
    system: undefined,
    model: undefined,
    settings: {},
  };
  // a hook that another hook defines is called from the next step on
  for (const [index, hook] of hooks.slice().entries()) {
    const shared = copyOnWriteMessages(sent.messages);
    const result = await call(hook, {
      ...step,
      messages: shared.copies,
      activeTools: [...sent.activeTools],
      system: sent.system ?? surroundings.compile(),
      variables: toHookVariables(surroundings.visible()),
    });
    const {
      messages: returnedMessages,
      activeTools: names,
      system,
      model,
      variables,
      ...settings
    } = readHookResult(result, warn);
    if (returnedMessages !== undefined) {
      sent.messages = shared.commit(returnedMessages);
      sent.replaced = true;
    }
    if (names !== undefined) {
      for (const name of names) {
        if (!toolNames.includes(name)) {
          warn(
            `A hook asked for the tool ${name}, which is not defined. There are: ${toolNames.join(', ') || 'none'}.`,
          );
        }
      }
      sent.activeTools = names.filter((name) => toolNames.includes(name));
    }
    if (system !== undefined) sent.system = system;
    if (model !== undefined) sent.model = model;
    setVariables(surroundings, variables);
    Object.assign(sent.settings, settings);
    const changed = Object.entries({
      messages: returnedMessages,
      activeTools: names,
      system,
      model,
      variables,
      ...settings,
    })
      .filter(([, value]) => value !== undefined)
      .map(([name]) => name);
    if (changed.length > 0) onChanged(index, changed);
  }
  return sent;
}

async function call(hook: Hook, step: HookStep): Promise<unknown> {
  try {
    return await hook(step);
  } catch (error) {
    throw scriptError(`A hook, at step ${step.stepNumber},`, error);
  }
}

function toHookVariables(variables: ReadonlyMap<string, Variable>): Record<string, HookVariable> {
  return Object.fromEntries(
    [...variables].map(([name, variable]) => [
      name,
      variable.kind === 'data'
        ? { type: 'data', value: variable.data }
        : { type: 'string', value: variable.value },
    ]),
  );
}

/**
 * Keeps the variables that a hook returns unchanged, so that the log does not repeat them. Data may have been changed
 * in place, so its text is compared.
 */
function setVariables(
  { variablesWith, visible }: HookEnvironment,
  updates: Record<string, HookVariable> | undefined,
): void {
  for (const [name, variable] of Object.entries(updates ?? {})) {
    const next = toVariable(name, variable?.value);
    const known = visible().get(name);
    if (known?.kind !== next.kind || known.value !== next.value) variablesWith(name).set(name, next);
  }
}

function toVariable(name: string, value: unknown): Variable {
  if (typeof value === 'object' && value !== null) return dataVariable(name, value);
  if (typeof value === 'string') return textVariable(name, value);
  throw new CuelineError(
    'script_error',
    `A hook returned the variable ${name} without a value. Write { type: 'string', value: '…' } or { type: 'data', value: { … } }.`,
  );
}
