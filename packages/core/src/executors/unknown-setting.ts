import { CuelineError } from '../base/errors.ts';
import type { RunEvent } from '../log/events.ts';
import { suggestion } from '../base/check-names.ts';
import { successorOf } from '../base/former-names.ts';
import { inOptions } from '../prompt/option-names.ts';
import type { RunRequest } from './executor.ts';
import { failedStart } from './failed-start.ts';

/** The settings of `createRun` and of `usePrompt`, except the prompt. */
const runNames = ['model', 'executor', 'options', 'tools', 'id', 'storage', 'log', 'schedule'];
const hookNames = ['watch', 'throttle', 'onUnmount', 'initialLog', 'onEvent', 'onDone', 'onError'];

const startNames = ['key', 'whenBusy', 'signal'];

type Unknown = Readonly<Record<string, unknown>>;

/**
 * Returns the log of a run that ends because `createRun` or `usePrompt` got unknown settings, or its start unknown
 * options.
 */
export function unknownSetting<Input>(
  { definition, messages }: RunRequest<Input>,
  settings: Unknown,
  ofStart: Unknown = {},
): Iterator<RunEvent> {
  const whose = definition.name === '' ? 'The run' : `The run of "${definition.name}"`;
  const setting = firstName(settings);
  const name = setting ?? firstName(ofStart) ?? '';
  const message =
    setting === undefined
      ? wrongStartOption(whose, name)
      : unknownName(whose, name, [...runNames, ...hookNames]);
  const error = new CuelineError('invalid_options', message, { details: { option: name } });
  return failedStart(definition.name, error, messages);
}

function firstName(unknown: Unknown): string | undefined {
  return Object.keys(unknown).find((key) => unknown[key] !== undefined);
}

function unknownName(whose: string, name: string, names: readonly string[]): string {
  const known = names.filter((other) => other !== name);
  return inOptions('', name) ?? `${whose} has no "${name}". ${suggestion(name, known)}`;
}

function wrongStartOption(whose: string, name: string): string {
  const isSetting = runNames.includes(name) || hookNames.includes(name);
  const refused = `${whose} takes no "${name}" when it starts.`;
  if (successorOf(name, startNames) !== undefined || !(isSetting || inOptions('', name) !== undefined))
    return `${refused} ${suggestion(name, startNames)}`;
  const where = isSetting ? `${name}: …` : `options: { ${name}: … }`;
  return `${refused} Pass it to createRun or usePrompt: { ${where} }.`;
}
