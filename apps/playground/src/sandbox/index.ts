import '../zod-without-eval.ts';
import type { Executor, RunEvent } from '@cueline/core';
import { isRunEvent } from '@cueline/core/link';
import type { LanguageModel } from 'ai';
import { checkCall } from './host/check-call.ts';
import { checkScript, type CheckProblem, type ScriptCheck } from './host/check-script.ts';
import { createEventQueue } from './host/event-queue.ts';
import { createIssuedMetadata } from './host/issued-metadata.ts';
import type { Preview } from './host/read-check.ts';
import { readMessage } from './host/read-message.ts';
import type { ScriptProblem } from './host/sandbox-run-options.ts';
import { startSandboxRun, type SandboxRun } from './host/sandbox-run.ts';
import { createWorkerFramePool } from './host/worker-frame-pool.ts';
import { defaultLimits, type SandboxLimits } from './limits.ts';
import type { ConsoleLevel, InputReport, ScriptReport, ToHost } from './protocol.ts';
import { compileScript } from './script/compile-script.ts';
import type { DefinitionLine } from './script/definition.ts';

export { bootstrapSource } from './bootstrap.ts';
export { compileScript, type CompiledScript } from './script/compile-script.ts';
export { ScriptError } from './script/script-error.ts';
export { readIssues } from './host/read-check.ts';
export type {
  CheckProblem,
  ConsoleLevel,
  InputReport,
  Preview,
  SandboxLimits,
  ScriptCheck,
  ScriptReport,
  ScriptProblem,
};

/** Events like those that a run begins with. */
const firstEvents: readonly RunEvent[] = [
  {
    seq: 0,
    t: 0,
    type: 'run-start',
    v: 2,
    runId: 'r',
    model: 'm',
    messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
    messageId: 'a',
  },
  {
    seq: 1,
    t: 0,
    type: 'step-start',
    step: 0,
    request: { keep: 0, messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] },
  },
  { seq: 2, t: 0, type: 'text-start', id: 't' },
  { seq: 3, t: 0, type: 'text-delta', id: 't', text: 'Hi' },
];
/** Messages like those that the worker of a run sends first. */
const firstMessages: readonly ToHost[] = [
  { type: 'ready' },
  { type: 'definition', of: 'message', name: 'messages[0]', at: { line: 1, column: 1 } },
  { type: 'events', events: [] },
  { type: 'model-call', call: 0, options: { prompt: [] } },
];

/** Where scripts run: each in a worker of its own, inside a frame without a network, an origin or a key. */
export type Sandbox = {
  /** Starts a frame and a worker before the next run, and from now on a new pair whenever a run takes one. */
  warm(): void;
  /**
   * Does what a run can have done before it starts: builds the checks of its calls and first events, and compiles this
   * script, if there is one.
   */
  prepare(script: string | undefined): void;
  /**
   * Runs this script with the input and the kept turns and steps of a request. The script replaces the request's
   * definition.
   */
  executor(script: string, host: ScriptHost): Executor;
  /**
   * Loads this script without running it, in a worker that ends with it: the name of its prompt and its input and, with
   * `dryRun`, its first request. No model is called. Never rejects.
   */
  check(script: string, options: { dryRun?: { input?: unknown }; signal: AbortSignal }): Promise<ScriptCheck>;
  /** Ends the waiting worker, and starts no more workers in advance. Runs that are in progress continue. */
  dispose(): void;
};

export type SandboxOptions = {
  /** Literal keys, to be removed from every error and every message to the worker. */
  secrets?: () => readonly string[];
  limits?: Partial<SandboxLimits>;
};

/** What a run needs from the page, and its observers. */
export type ScriptHost = {
  /**
   * The user's model; called once per run, on the page, where its key stays. A promise delays the start of the
   * script.
   */
  getModel: () => LanguageModel | Promise<LanguageModel>;
  /** Called for each error of a script, with its position. */
  onProblem?: (problem: ScriptProblem) => void;
  /** Called for each line that a script writes to the console. */
  onConsole?: (level: ConsoleLevel, text: string) => void;
  /** Called with the line of each definition that the script makes. */
  onDefinition?: (definition: DefinitionLine) => void;
};

/**
 * How long after a run has taken a worker the next worker starts, in milliseconds: it must not delay the first answer.
 */
const SPARE_AFTER_MS = 1_000;

/**
 * Runs untrusted scripts. A script can use the model, but cannot reach its key, the page, its storage or the
 * network. Whatever a script does, its run ends once, with a `run-end` that says why.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const limits: SandboxLimits = { ...defaultLimits, ...options.limits };
  const issued = createIssuedMetadata();
  const frames = createWorkerFramePool(limits);

  return {
    warm: frames.warm,
    prepare(script) {
      // a check is built when it is first used
      for (const event of firstEvents) isRunEvent(event);
      for (const message of firstMessages) readMessage(JSON.stringify(message));
      checkCall({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] }, () => false);
      if (script === undefined) return;
      try {
        compileScript(script);
      } catch {
        // its run or its check will report the problem
      }
    },
    executor: (script, host) => createScriptExecutor(script, host),
    check: (script, { dryRun, signal }) =>
      checkScript({
        script,
        dryRun,
        signal,
        limits,
        secrets: options.secrets ?? (() => []),
        async takeFrame() {
          for (;;) {
            // a run that starts meanwhile finds another one
            const frame = frames.take(0);
            // a new frame always counts as alive, so this loop ends
            if (await frame.answers()) return frame;
            frame.close();
          }
        },
      }),
    dispose: frames.dispose,
  };

  function createScriptExecutor(script: string, host: ScriptHost): Executor {
    /** The runs in progress, by the id in their `run-start`. */
    const runs = new Map<string, { run?: SandboxRun }>();
    return {
      start(request, signal) {
        const abandoned = new AbortController();
        const queue = createEventQueue<RunEvent>(() => abandoned.abort());
        // its first events may come before the run object exists
        const started: { id?: string; run?: SandboxRun } = {};
        started.run = startSandboxRun({
          script,
          request,
          signal: AbortSignal.any([signal, abandoned.signal]),
          limits,
          issued,
          getModel: host.getModel,
          secrets: options.secrets ?? (() => []),
          takeFrame: () => frames.take(SPARE_AFTER_MS),
          onEvent(event) {
            if (event.type === 'run-start') runs.set((started.id = event.runId), started);
            queue.push(event);
            if (event.type !== 'run-end') return;
            if (started.id !== undefined && runs.get(started.id) === started) runs.delete(started.id);
            queue.close();
            frames.ready();
          },
          onProblem: host.onProblem ?? (() => {}),
          onConsole: host.onConsole ?? (() => {}),
          onDefinition: host.onDefinition ?? (() => {}),
        });
        return queue;
      },
      send(runId, command) {
        const { run } = runs.get(runId) ?? {};
        return run?.send(command) ?? { accepted: false, reason: 'The run is not in progress.' };
      },
    };
  }
}
