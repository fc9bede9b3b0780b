import { CuelineError, runPrompt, type EditReply, type RunHandle, type RunCommand } from '@cueline/core';
import { sendCommand } from '@cueline/core/server';
import { decodeMessage, type ToHost, type ToWorker } from '../protocol.ts';
import { nextTask } from '../time-slices.ts';
import { checkScript } from './check-script.ts';
import { describeError } from './describe-error.ts';
import { LoadError, loadScript, openScript, type OpenedScript } from './load-script.ts';
import { isLocated } from './locate-error.ts';
import { noModel } from './no-model.ts';
import { createOutbox } from './outbox.ts';
import { createRemoteModel, type RemoteModel } from './remote-model.ts';
import { createDefinitionReporter } from './report-definitions.ts';
import { watchDefinition } from './watch-definition.ts';
import type { ScriptWatcher } from './watch-tools.ts';

export type Runtime = {
  /** A message of the page: text, or a number (see the relay). */
  receive(message: unknown): void;
  /** Reports an uncaught error of the script. */
  uncaught(error: unknown): void;
  send(message: ToHost): void;
};

type RunMessage = Extract<ToWorker, { type: 'run' }>;
type CheckMessage = Extract<ToWorker, { type: 'check' }>;

/** Runs one script, once, and reports everything that happens in it to the page. */
export function createRuntime(options: {
  post: (message: string | number) => void;
  /** The modules that the script imports, for its model and its observers. */
  modules: (model: RemoteModel['model'], watcher: ScriptWatcher) => Record<string, unknown>;
}): Runtime {
  const outbox = createOutbox(options.post);
  const { send } = outbox;
  const stopping = new AbortController();
  let remote: RemoteModel | undefined;
  let script: OpenedScript | undefined;
  let live: RunHandle | undefined;

  const sendProblem = (error: unknown, toolCallId?: string): void => {
    const at = script?.locate(error);
    send({
      type: 'problem',
      message: describeError(error),
      ...(at === undefined ? {} : { at }),
      ...(toolCallId === undefined ? {} : { toolCallId }),
    });
  };

  /** Waits one turn of the event loop, so that the parts of the stream before a tool's call are sent first. */
  const settle = async (): Promise<void> => {
    await nextTask();
    outbox.flush();
  };

  /** Reports why the script could not run. `thrown` is the script's own error, if it was wrapped. */
  const fail = (error: unknown, thrown: unknown): void => {
    const at = error instanceof LoadError ? error.at : script?.locate(thrown ?? error);
    send({ type: 'failed', error: errorOf(error), ...(at === undefined ? {} : { at }) });
  };

  const run = async ({ code, input, messages, tasks, unfinishedCalls, model }: RunMessage): Promise<void> => {
    let thrown: unknown;
    try {
      remote = createRemoteModel(model, send);
      const opened = (script = openScript(code));
      const watcher: ScriptWatcher = {
        definitions: createDefinitionReporter(opened.locate, send),
        settle,
        onError(error, toolCallId) {
          if (toolCallId === undefined) thrown = error;
          else sendProblem(error, toolCallId);
        },
      };
      const definition = await loadScript(opened, options.modules(remote.model, watcher));
      ({ run: live } = await runPrompt(watchDefinition(definition, watcher), {
        model: remote.model,
        input,
        messages,
        tasks,
        unfinishedCalls,
        options: { abortSignal: stopping.signal },
      }));
      follow(live, outbox.event);
    } catch (error) {
      fail(error, thrown);
    }
  };

  const check = async ({ code, dryRun }: CheckMessage): Promise<void> => {
    let thrown: unknown;
    try {
      const opened = (script = openScript(code));
      const watcher: ScriptWatcher = {
        // only a run reports the lines of its definitions
        definitions: createDefinitionReporter(opened.locate, () => {}),
        settle,
        onError: (error) => (thrown = error),
      };
      const definition = await loadScript(opened, options.modules(noModel, watcher));
      await checkScript(watchDefinition(definition, watcher), definition, { dryRun, send });
    } catch (error) {
      fail(error, thrown);
    }
  };

  return {
    send,
    uncaught: (error) => {
      if (!isLocated(error)) sendProblem(error);
    },
    receive(message) {
      if (message === 0) return options.post(0);
      if (typeof message === 'number') return outbox.read(message);
      if (typeof message !== 'string') return;
      const parsed = decodeMessage(message) as ToWorker;
      if (parsed.type === 'run') void run(parsed);
      else if (parsed.type === 'check') void check(parsed);
      else if (parsed.type === 'stop') stopping.abort();
      else if (parsed.type === 'online') dispatchEvent(new Event('online'));
      else if (parsed.type === 'command') {
        void obey(live, parsed.command).then((reply) => send({ type: 'reply', id: parsed.id, reply }));
      } else remote?.receive(parsed);
    },
  };
}

async function obey(run: RunHandle | undefined, command: RunCommand): Promise<EditReply> {
  if (run === undefined) return { accepted: false, reason: 'The run has not begun.' };
  try {
    return await sendCommand(run, command);
  } catch (error) {
    // the user gets a reply even if the script has broken its prompt
    return { accepted: false, reason: describeError(error) };
  }
}

/** Returns why a script could not run, in the form that the page receives. */
function errorOf(error: unknown): Extract<ToHost, { type: 'failed' }>['error'] {
  const { code, message, details } = CuelineError.isInstance(error)
    ? error
    : new CuelineError('script_error', describeError(error));
  return { code, message, ...(details === undefined ? {} : { details }) };
}

/** Sends every event of a run, from the first one on. */
function follow(run: RunHandle, onEvent: (event: ReturnType<RunHandle['log']>[number]) => void): void {
  let count = 0;
  const readOn = (): void => {
    const log = run.log();
    for (let event = log[count]; event !== undefined; event = log[count]) {
      count += 1;
      onEvent(event);
    }
  };
  run.listen(readOn);
  readOn();
}
