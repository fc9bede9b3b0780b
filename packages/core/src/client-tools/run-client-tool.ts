import { createId } from '../base/create-id.ts';
import { reasonOf, thrownText } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { quoteValue } from '../base/quote-value.ts';
import { untilAborted } from '../base/until-aborted.ts';
import { withoutUndefined } from '../base/without-undefined.ts';
import { ignorePromises, refuseLossy } from '../json/refuse-lossy.ts';
import type { ClientToolResponse, RunEvent } from '../log/events.ts';
import { isPending } from '../log/pending.ts';
import type { RunCommand } from '../log/run-handle.ts';
import type { RunLog } from '../log/run-log.ts';
import type { ClientToolCallState } from '../log/state.ts';
import type { EditReply } from '../tasks/task-item.ts';
import { holdPage, untilPageIsGone } from './page-lock.ts';

/** The second argument of a client tool's function. */
export type ClientToolContext = {
  /** The id of the model's call. */
  toolCallId: string;
  /**
   * Aborts when the call needs no response any more: another page has responded, the call timed out, or the run has
   * ended.
   */
  signal: AbortSignal;
};

/** A function of the page that runs the calls of a client tool. The model reads an error that it throws. */
export type ClientToolFunction<Input = unknown, Output = unknown> = (
  input: Input,
  context: ClientToolContext,
) => Output | Promise<Output>;

/** How often a claim is sent that a broken connection may have lost, and the pauses in between, in milliseconds. */
const ATTEMPTS = 8;
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

/** The id of this page in the logs of the runs whose calls it runs. It changes with a reload. */
const thisPage = createId('page');
/** Ids of the calls that this page runs, whichever run object follows them. */
const activeCalls = new Set<string>();

/** A run whose client tool calls this page runs. */
export type FollowedRun = {
  readonly log: RunLog;
  /** Returns undefined if the run is not in progress. */
  send(command: RunCommand): EditReply | Promise<EditReply> | undefined;
};

/**
 * Runs one call of a client tool and responds to it, unless another page does. If another page has claimed the call,
 * waits until that page is gone. Then runs the call again if it only reads or is idempotent; otherwise responds that
 * it was interrupted, because it may have taken effect.
 */
export async function runClientTool(
  pending: ClientToolCallState,
  fn: ClientToolFunction,
  run: FollowedRun,
): Promise<void> {
  const { log } = run;
  const { clientCallId, toolName, effect, idempotent, page } = pending;
  if (activeCalls.has(clientCallId)) return;
  const closed = signalOfEnd(log, clientCallId);
  const claim: RunCommand = withoutUndefined({
    type: 'client-tool-claim',
    clientCallId,
    page: thisPage,
    instead: page,
  });
  let isMine = false;
  try {
    if (page !== undefined && page !== thisPage && !(await untilPageIsGone(page, closed))) return;
    if (page !== undefined && (closed.aborted || activeCalls.has(clientCallId))) return;
    isMine = true;
    activeCalls.add(clientCallId);
    const response = await respond();
    if (response !== undefined) await answer(response);
  } catch {
    // the call's time limit ends it
  } finally {
    if (isMine) activeCalls.delete(clientCallId);
  }
  const now = pendingCall(log, clientCallId);
  // another page had claimed it, and the log received that only while this page asked
  if (now !== undefined && now.page !== undefined && now.page !== page && now.page !== thisPage) {
    await runClientTool(now, fn, run);
  }

  /** Returns the response to the call, or undefined if another page has claimed it. */
  async function respond(): Promise<ClientToolResponse | undefined> {
    await holdPage(thisPage);
    if (page !== undefined && effect !== 'read' && idempotent !== true) return interrupted(toolName);
    try {
      return (await sendRepeatedly(run, claim, closed, ATTEMPTS)).accepted ? await call() : undefined;
    } catch (error) {
      return { error: errorTextOf(error) };
    }
  }

  async function call(): Promise<ClientToolResponse> {
    try {
      const { toolCallId, input } = pending;
      if (typeof fn !== 'function') throw noFunctionError(toolName, fn);
      const output = await untilAborted(
        Promise.resolve(fn(structuredClone(input), { toolCallId, signal: closed })),
        closed,
      );
      return { output: toPlain(toolName, output) };
    } catch (error) {
      return { error: errorTextOf(error) };
    }
  }

  async function answer(response: ClientToolResponse): Promise<void> {
    if (closed.aborted) return;
    const send = (response: ClientToolResponse): Promise<EditReply> =>
      sendRepeatedly(run, { type: 'client-tool-response', clientCallId, response }, closed);
    if ('error' in response) return void (await send(response));
    const why = await send(response).then(
      (reply) => (reply.accepted ? undefined : reply.reason),
      (error: unknown) => errorTextOf(error),
    );
    // the model must not read that the call failed
    if (why === undefined || closed.aborted) return;
    await send({ error: `${toolName} ran, but its output could not be sent: ${why}` });
  }
}

function noFunctionError(toolName: string, given: unknown): CuelineError {
  return new CuelineError(
    'invalid_options',
    `The page's tools.${toolName} is ${quoteValue(given)}. Write tools: { ${toolName}: async (input) => … }.`,
  );
}

/**
 * Sends a command again if the connection broke, as long as the call is pending. Repeating these commands changes
 * nothing.
 */
async function sendRepeatedly(
  run: FollowedRun,
  command: RunCommand,
  closed: AbortSignal,
  maxAttempts: number = Infinity,
): Promise<EditReply> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return (await run.send(command)) ?? { accepted: false, reason: 'The run is not in progress.' };
    } catch (error) {
      if (closed.aborted) return { accepted: false, reason: 'The call no longer needs an answer.' };
      if (attempts === maxAttempts || !isTransient(error)) throw error;
      const pause = Math.min(PAUSE_MS * 2 ** (attempts - 1), MAX_PAUSE_MS);
      await new Promise<void>((resolve) => {
        const go = (): void => {
          clearTimeout(timer);
          closed.removeEventListener('abort', go);
          resolve();
        };
        const timer = setTimeout(go, pause);
        closed.addEventListener('abort', go);
      });
    }
  }
}

function isTransient(error: unknown): boolean {
  const codes: unknown[] = ['network', 'timeout', 'overloaded', 'rate_limited', 'provider_error'];
  return CuelineError.isInstance(error) && codes.includes(error.code);
}

/** Returns a signal that aborts when the call is no longer pending. */
function signalOfEnd(log: FollowedRun['log'], clientCallId: string): AbortSignal {
  const controller = new AbortController();
  if (pendingCall(log, clientCallId) === undefined) controller.abort();
  const unlisten = log.listen((event) => {
    if (event.type !== 'run-end' && !isEndOf(event, clientCallId)) return;
    unlisten();
    controller.abort();
  });
  return controller.signal;
}

function pendingCall(log: FollowedRun['log'], clientCallId: string): ClientToolCallState | undefined {
  if (log.ended) return undefined;
  return log.getState().clientToolCalls.find((each) => each.clientCallId === clientCallId && isPending(each));
}

function isEndOf(event: RunEvent, clientCallId: string): boolean {
  const ends = event.type === 'client-tool-response' || event.type === 'client-tool-withdraw';
  return ends && event.clientCallId === clientCallId;
}

/** Returns the result of a function as JSON. Throws if the JSON would not be the same value. */
function toPlain(toolName: string, output: unknown): unknown {
  try {
    return copyOf(output);
  } catch (error) {
    ignorePromises(output);
    throw new Error(
      `${toolName} returned something that is not JSON (${reasonOf(error)}). Return plain objects, arrays, strings, numbers.`,
      { cause: error },
    );
  }
}

function copyOf(output: unknown): unknown {
  const text = JSON.stringify(output ?? null, function (this: Record<string, unknown>, key, child: unknown) {
    const response = this[key];
    const isFile = typeof Blob === 'function' && response instanceof Blob;
    if (isFile || ArrayBuffer.isView(response) || response instanceof ArrayBuffer) {
      throw new Error(`${key === '' ? 'it' : key} is a file or bytes: return its text, or a data: URL of it`);
    }
    refuseLossy(key, child);
    return child;
  }) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as unknown);
}

function interrupted(toolName: string): ClientToolResponse {
  return {
    error: `The page that ran ${toolName} was closed or reloaded before it answered, so it is unknown whether the call took effect.`,
  };
}

/** Returns what a function of the page threw as text for the model. Never throws. */
function errorTextOf(error: unknown): string {
  const text = thrownText(error);
  if (text === '' || text === 'Error') return 'The function in the page failed without a reason.';
  const isReason = typeof error === 'string' || (typeof error === 'object' && error !== null);
  return isReason ? text : `The function in the page threw ${text}.`;
}
