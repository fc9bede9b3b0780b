import type { Executor, RunEvent } from '@cueline/core';
import type { LanguageModel } from 'ai';
import * as z from 'zod';
import { createCell, type Cell } from './host/cell.ts';
import { createEventQueue } from './host/event-queue.ts';
import { createIssuedMetadata } from './host/issued-metadata.ts';
import { startSandboxRun, type SandboxRun, type ScriptProblem } from './host/sandbox-run.ts';
import { defaultLimits, type SandboxLimits } from './limits.ts';
import type { ConsoleLevel } from './protocol.ts';

export { bootstrapSource } from './bootstrap.ts';
export { compileScript, type CompiledScript } from './script/compile-script.ts';
export { ScriptError } from './script/script-error.ts';
export type { ConsoleLevel, SandboxLimits, ScriptProblem };

/** Where scripts run: each in a worker of its own, inside a frame without a network, an origin or a key. */
export type Sandbox = {
  /** Starts frame and worker ahead of the next run, and from now on again after each run. */
  warm(): void;
  /** Runs this script. Of a request, `input` and `messages` are used: the script is the definition. */
  executor(script: string, host: ScriptHost): Executor;
  /** Gives up the worker that waits, and keeps no other ready. Runs that are under way go on to their end. */
  dispose(): void;
};

export type SandboxOptions = {
  /** Literal keys, to be left out of every error and every message to the worker. */
  secrets?: () => readonly string[];
  limits?: Partial<SandboxLimits>;
};

/** What a run needs of the page, and whom it tells what is no part of its log. */
export type ScriptHost = {
  /** The model that the person picked; called once per run, on the page, where its key stays. */
  getModel: () => Promise<LanguageModel>;
  /** Told of what is wrong in a script, at its place. */
  onProblem?: (problem: ScriptProblem) => void;
  /** Told of what a script writes to the console. */
  onConsole?: (level: ConsoleLevel, text: string) => void;
};

// The page's policy forbids `new Function` too, and a browser reports the attempt.
z.config({ jitless: true });

/**
 * Runs scripts that nobody has read yet. A script can use the model, and can reach neither its key nor the page, its
 * storage or the network. Whatever a script does, its run ends once, with a `run-end` that says why.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const limits: SandboxLimits = { ...defaultLimits, ...options.limits };
  const issued = createIssuedMetadata();
  let waiting: Cell | undefined;
  let keepsWarm = false;

  const prepare = (): void => {
    if (waiting !== undefined) return;
    const cell = createCell(limits, () => {
      if (waiting === cell) waiting = undefined;
    });
    waiting = cell;
  };
  const takeCell = async (): Promise<Cell> => {
    for (;;) {
      prepare();
      const cell = waiting as Cell;
      waiting = undefined;
      // one that has just been made always counts as there, so this ends
      if (await cell.answers()) return cell;
      cell.close();
    }
  };

  return {
    warm() {
      keepsWarm = true;
      prepare();
    },
    executor: (script, host) => createScriptExecutor(script, host),
    dispose() {
      keepsWarm = false;
      waiting?.close();
      waiting = undefined;
    },
  };

  function createScriptExecutor(script: string, host: ScriptHost): Executor {
    /** What is under way, by the id that its `run-start` gives. */
    const runs = new Map<string, { run?: SandboxRun }>();
    return {
      start(request, signal) {
        const abandoned = new AbortController();
        const queue = createEventQueue<RunEvent>(() => abandoned.abort());
        // its first events may come before the run itself is there to be told anything
        const started: { id?: string; run?: SandboxRun } = {};
        started.run = startSandboxRun({
          script,
          request,
          signal: AbortSignal.any([signal, abandoned.signal]),
          limits,
          issued,
          getModel: host.getModel,
          secrets: options.secrets ?? (() => []),
          takeCell,
          onEvent(event) {
            if (event.type === 'run-start') runs.set((started.id = event.runId), started);
            queue.push(event);
            if (event.type !== 'run-end') return;
            if (started.id !== undefined && runs.get(started.id) === started) runs.delete(started.id);
            queue.close();
            if (keepsWarm) prepare();
          },
          onProblem: host.onProblem ?? (() => {}),
          onConsole: host.onConsole ?? (() => {}),
        });
        return queue;
      },
      send(runId, command) {
        const { run } = runs.get(runId) ?? {};
        return run?.send(command) ?? { accepted: false, reason: 'The run is not under way.' };
      },
    };
  }
}
