import { CuelineError } from '../base/errors.ts';
import { warnInDevelopment } from '../base/report-in-development.ts';
import { isPlain } from '../json/copy-plain.ts';
import type { RunCommand } from '../log/run-handle.ts';
import type { RunRequest } from './executor.ts';

/**
 * Returns the request that starts a run on a route, as JSON. It contains the definition's name, and everything else
 * as it is.
 * @throws CuelineError `invalid_options` naming what JSON cannot carry
 */
export function startBody<Input>(request: RunRequest<Input>): string {
  // the stored log and the unfinished calls are only this page's concern
  const {
    definition,
    model,
    options,
    unfinishedCalls: _unfinishedCalls,
    whenStored: _whenStored,
    ...rest
  } = request;
  if (definition.name === '') {
    throw new CuelineError(
      'invalid_options',
      "A route finds a prompt by its name, but this prompt has no name. Write definePrompt('plan-day', …) with the name that the route uses.",
    );
  }
  if (definition.inline !== undefined) {
    throw new CuelineError('invalid_options', unknownPromptError[definition.inline]);
  }
  if (definition.remote !== true) suggestRemotePrompt(definition.name);
  if (model !== undefined && typeof model !== 'string') {
    throw new CuelineError(
      'invalid_options',
      "model is an object, which cannot be sent to a route. Name it instead: 'provider:model', or leave it to the route.",
    );
  }
  // the run's signals stay on this side: the run on the server is stopped by a request
  const { abortSignal: _abortSignal, ...sent } = options ?? {};
  const hasOptions = Object.values(sent).some((value) => value !== undefined);
  return toJsonText({
    prompt: definition.name,
    ...rest,
    ...(model === undefined ? {} : { model }),
    ...(hasOptions ? { options: sent } : {}),
  });
}

const warned = new Set<string>();

/** Warns once that a page with the whole definition of a server's prompt exposes it. */
function suggestRemotePrompt(name: string): void {
  if (warned.has(name)) return;
  warned.add(name);
  warnInDevelopment(
    `Prompt "${name}" runs on a server, but this page imports its definition, so its system prompt and tools are in what every visitor downloads. Use import type, and remotePrompt<typeof …>('${name}') in its place.`,
  );
}

/** Why a prompt of a component cannot run on a server, and what to write instead. */
const unknownPromptError: Readonly<Record<NonNullable<RunRequest['definition']['inline']>, string>> = {
  usePrompt:
    "usePrompt was given a function, but a route only runs prompts that it knows by name. Define it on the server, export const planDay = definePrompt('plan-day', …), and write usePrompt(remotePrompt<typeof planDay>('plan-day')) here; what the function takes from the component becomes its input.",
  useTaskList:
    "useTaskList was given tasks, which makes a prompt in the page, but a route only runs prompts that it knows by name. Define it on the server, export const moveHouse = definePrompt('move-house', (prompt) => { prompt.defTaskList([…]); … }), and write const { run } = usePrompt(remotePrompt<typeof moveHouse>('move-house')); useTaskList(run) here.",
};

/** Returns a command as JSON. Throws as {@link startBody} does. */
export function commandBody(command: RunCommand): string {
  return toJsonText(command);
}

function toJsonText(value: Record<string, unknown>): string {
  try {
    for (const [key, part] of Object.entries(value)) checkPart(part, key, new Set());
    return JSON.stringify(value);
  } catch (error) {
    if (CuelineError.isInstance(error)) throw error;
    // such a value would overflow the stack
    throw new CuelineError(
      'invalid_options',
      'The request to the route is nested too deeply. Send flatter data.',
      {
        cause: error,
      },
    );
  }
}

/** Refuses values that JSON would change: it makes a Date a text, and a Map an empty object. */
function checkPart(value: unknown, path: string, above: Set<unknown>): void {
  if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean')
    return;
  if (Number.isFinite(value)) return;
  if (above.has(value)) throw unsendableError(path, 'contains itself');
  above.add(value);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (item === undefined) throw unsendableError(`${path}[${index}]`, 'is undefined');
      checkPart(item, `${path}[${index}]`, above);
    }
  } else if (isPlain(value)) {
    for (const [key, item] of Object.entries(value)) checkPart(item, `${path}.${key}`, above);
  } else {
    throw unsendableError(path, `is ${describeKind(value)}`);
  }
  // a value in two places is not a cycle
  above.delete(value);
}

function describeKind(value: unknown): string {
  if (typeof value === 'object') {
    const { name } = (value as { constructor?: { name?: string } }).constructor ?? {};
    return `an object of class ${name ?? 'unknown'}`;
  }
  return typeof value === 'number' ? String(value) : `a ${typeof value}`;
}

function unsendableError(path: string, what: string): CuelineError {
  return new CuelineError(
    'invalid_options',
    `${path} ${what}, which cannot be sent to a route. Leave it out, pass plain JSON, or run the prompt with inProcess().`,
  );
}
