import {
  CuelineError,
  type LimitOptions,
  type Limits,
  type PromptDefinition,
  type RunRequest,
} from '@cueline/core';
import { guardedDownload, refusePromises } from '@cueline/core/server';
import { TimeoutElapsed, withTimeout } from '../base/with-timeout.ts';
import { HttpError } from '../http/respond.ts';
import { checkInput, checkInputSize } from './check-input.ts';
import { checkMessages, checkTasks } from './check-messages.ts';
import { invalidNameText, isName } from './is-name.ts';
import type { AcceptedRun, AskedRun } from './prompt-route-options.ts';
import { isChatPost } from './read-chat-post.ts';
import { runDefaults } from './read-limits.ts';
import { isRunId } from './read-query.ts';
import { refusePrototypes } from './refuse-prototypes.ts';
import { earlierTasks } from './runs/earlier-tasks.ts';
import type { ReachedRun } from './runs/runs.ts';
import { keyWithContent } from './runs/start-key.ts';
import type { RouteSettings } from './settings.ts';

/**
 * Returns the permitted start of a client. Throws an {@link HttpError} that says what to leave out, or how the
 * server can permit it.
 */
export async function readStart(
  settings: RouteSettings,
  body: Readonly<Record<string, unknown>>,
  subject: string,
  request: Request,
  reach: (runId: string) => Promise<ReachedRun | undefined>,
): Promise<RunRequest> {
  const { options } = settings;
  const definition = findPrompt(settings, body['prompt']);
  const { input, model, key, previousRunId } = body;
  if (key !== undefined && !isName(key)) {
    throw new HttpError('invalid_body', invalidNameText('key'));
  }
  checkInputSize(definition, input, settings);
  for (const name of ['input', 'model', 'options']) refusePrototypes(body[name], name);
  const asked: AskedRun = {
    prompt: definition.name,
    subject,
    input,
    messages: checkMessages(body['messages'], options.fileUrls, { approvals: isChatPost(body) }),
    tasks: checkTasks(body['tasks']),
    model,
    options: body['options'],
  };
  const accepted = await accept(settings, asked, request);
  refusePromises('What accept returned', accepted);
  const { input: taken = input, tasks = asked.tasks } = accepted;
  await checkInput(definition, taken);
  const isOwn = tasks === asked.tasks && tasks.length > 0;
  const previous = isOwn && isRunId(previousRunId) ? await reach(previousRunId) : undefined;
  return {
    definition,
    input,
    messages: asked.messages,
    model: options.model,
    ...accepted,
    tasks: isOwn ? await earlierTasks(tasks, previous, { definition, input: taken }) : tasks,
    options: {
      // if fileUrls permits an address, it also decides on its redirects
      ...(options.fileUrls && { experimental_download: guardedDownload({ fileUrls: options.fileUrls }) }),
      ...options.options,
      ...accepted.options,
      limits: limitsOf(settings, accepted),
    },
    key: key === undefined ? undefined : keyWithContent(key, body),
  };
}

function findPrompt({ definitions }: RouteSettings, name: unknown): PromptDefinition<unknown> {
  const [only, ...others] = definitions.values();
  if (name === undefined && only !== undefined && others.length === 0) return only;
  const found = typeof name === 'string' ? definitions.get(name) : undefined;
  if (found !== undefined) return found;
  const known = [...definitions.keys()].join(', ');
  const what = typeof name === 'string' ? `There is no prompt "${name.slice(0, 100)}"` : 'No prompt is named';
  throw new HttpError('unknown_prompt', `${what}. Send { prompt } with one of: ${known}.`);
}

async function accept({ options }: RouteSettings, asked: AskedRun, request: Request): Promise<AcceptedRun> {
  if (options.accept === undefined) {
    for (const name of ['model', 'options'] as const) {
      if (asked[name] !== undefined) throw notAcceptedError(name);
    }
    return {};
  }
  try {
    const { accept: letIn } = options;
    const accepted = await withTimeout((async () => letIn(asked, request))());
    // undefined fields are left out, so that the route's own apply
    return Object.fromEntries(Object.entries(accepted).filter(([, value]) => value !== undefined));
  } catch (error) {
    if (error instanceof TimeoutElapsed) {
      throw new HttpError(
        'unavailable',
        'The permission for this run could not be checked at the moment. Try again in a while.',
        {
          retryAfterMs: 1_000,
        },
      );
    }
    if (!CuelineError.isInstance(error)) throw error;
    throw new HttpError('unsupported_field', error.message);
  }
}

function notAcceptedError(name: 'model' | 'options'): HttpError {
  const example = name === 'model' ? 'model: checked(model)' : 'options: checked(options)';
  return new HttpError(
    'unsupported_field',
    `This route does not accept ${name} from clients. Leave ${name} out; or allow it with accept: ({ ${name} }) => ({ ${example} }) in createPromptRoute, after checking it.`,
  );
}

/** Returns the limits of a start, which never exceed the route's. */
function limitsOf({ runLimits }: RouteSettings, accepted: AcceptedRun): LimitOptions {
  const limits: LimitOptions = { ...runLimits };
  for (const [name, value] of Object.entries(accepted.options?.limits ?? {})) {
    if (!Object.hasOwn(runDefaults, name)) {
      throw new HttpError(
        'unsupported_field',
        `There is no limit "${name.slice(0, 100)}". Known: ${Object.keys(runDefaults).join(', ')}.`,
      );
    }
    const limit = name as keyof Limits;
    if (typeof value !== 'number' || Number.isNaN(value)) continue;
    limits[limit] = Math.min(value, runLimits[limit] ?? runDefaults[limit]);
  }
  return limits;
}
