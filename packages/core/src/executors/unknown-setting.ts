import { CuelineError } from '../base/errors.ts';
import type { RunEvent } from '../log/events.ts';
import { suggestion } from '../base/check-names.ts';
import { inOptions } from '../prompt/option-names.ts';
import type { RunRequest } from './executor.ts';
import { failedStart } from './failed-start.ts';

/** The settings of `createRun` and of `usePrompt`, except the prompt. */
const runNames = ['model', 'executor', 'options', 'tools', 'id', 'storage', 'log', 'schedule'];
const hookNames = ['watch', 'throttle', 'onUnmount', 'initialLog', 'onEvent', 'onDone', 'onError'];

/** Returns the log of a run that ends because `createRun` or `usePrompt` got unknown settings. */
export function unknownSetting<Input>(
  { definition, messages }: RunRequest<Input>,
  unknown: Readonly<Record<string, unknown>>,
): Iterator<RunEvent> {
  const name = Object.keys(unknown).find((key) => unknown[key] !== undefined) ?? '';
  const whose = definition.name === '' ? 'The run' : `The run of "${definition.name}"`;
  const known = [...runNames, ...hookNames].filter((other) => other !== name);
  const error = new CuelineError(
    'invalid_options',
    inOptions('', name) ?? `${whose} has no "${name}". ${suggestion(name, known)}`,
    { details: { option: name } },
  );
  return failedStart(definition.name, error, messages);
}
