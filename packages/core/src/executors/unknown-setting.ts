import { suggestion } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { nearestName } from '../base/nearest-name.ts';
import { quoteValue } from '../base/quote-value.ts';
import { successorOf } from '../base/replaced-options.ts';
import type { RunEvent } from '../log/events.ts';
import { inOptions } from '../prompt/option-names.ts';
import type { RunRequest } from './executor.ts';
import { failedStart } from './failed-start.ts';

/** The settings of `createRun` and of `usePrompt`, except the prompt. */
const runNames = ['model', 'executor', 'options', 'tools', 'id', 'storage', 'log', 'schedule'];
const hookNames = ['watch', 'throttle', 'onUnmount', 'initialLog', 'onEvent', 'onDone', 'onError'];

/** The options of `createRunRegistry`, which gives its runs the names that it does not know. */
const registryNames = ['maxBackground', 'maxKept'];

const startNames = ['key', 'whenBusy', 'signal'];

type Unknown = Readonly<Record<string, unknown>>;

/**
 * Returns the log of a run that ends because `createRun` or `usePrompt` got no prompt, or a setting that it cannot
 * use.
 */
export function refusedRun<Input>(
  { definition, messages }: Pick<Partial<RunRequest<Input>>, 'definition' | 'messages'>,
  settings: Unknown,
): Iterator<RunEvent> {
  if (definition === undefined) return failedStart('', noPromptError(), messages);
  const name = firstName(settings);
  const message =
    name === 'executor'
      ? noExecutorMessage(definition.name, settings[name])
      : (inOptions('', name) ?? unknownMessage(definition.name, name));
  return failedStart(definition.name, invalidOption(name, message), messages);
}

/** Throws the error of a start or a message with an option that does not exist, or with a `signal` that is not one. */
export function refuseStart(promptName: string, options: Unknown): never {
  const name = firstName(options);
  if (name === 'signal') {
    throw invalidOption(
      name,
      `${nameRun(promptName)} got a signal that is ${quoteValue(options[name])}, not an AbortSignal. Write { signal: controller.signal }.`,
    );
  }
  const isSetting = runNames.includes(name) || hookNames.includes(name);
  const isElsewhere = isSetting || inOptions('', name) !== undefined;
  const known = startNames.filter((other) => other !== name);
  const where = isSetting ? `${name}: …` : `options: { ${name}: … }`;
  const advice =
    isElsewhere && successorOf(name, startNames) === undefined
      ? `Pass it to createRun or usePrompt: { ${where} }.`
      : suggestion(name, known);
  throw invalidOption(name, `${nameRun(promptName)} takes no "${name}" when it starts. ${advice}`);
}

function firstName(unknown: Unknown): string {
  return Object.keys(unknown).find((key) => unknown[key] !== undefined) ?? '';
}

function nameRun(promptName: string): string {
  return promptName === '' ? 'The run' : `The run of "${promptName}"`;
}

function unknownMessage(promptName: string, name: string): string {
  const known = [...runNames, ...hookNames].filter((other) => other !== name);
  const ofRegistry = registryNames.includes(name) ? name : nearestName(name, registryNames);
  const advice =
    ofRegistry === undefined
      ? suggestion(name, known)
      : `createRunRegistry has ${ofRegistry}: createRunRegistry({ ${ofRegistry}: 20 }).`;
  return `${nameRun(promptName)} has no "${name}". ${advice}`;
}

function noExecutorMessage(promptName: string, value: unknown): string {
  const url = typeof value === 'string' ? quoteValue(value) : "'/api/plan-day'";
  return `${nameRun(promptName)} cannot use its executor, which is ${quoteValue(value)}. Write executor: viaRoute(${url}), or leave it out to run the prompt here.`;
}

function noPromptError(): CuelineError {
  return new CuelineError(
    'invalid_definition',
    'The run has no prompt: createRun got undefined. Write createRun(planDay), with what definePrompt returned. If planDay is imported, its module may not have run yet, because the two modules import each other.',
  );
}

function invalidOption(option: string, message: string): CuelineError {
  return new CuelineError('invalid_options', message, { details: { option } });
}
