import { CuelineError, type InputIssue, type SerializedError } from '@cueline/core';
import { toRunError } from '@cueline/core/models';
import { redactKeys } from '../../model/redact-keys.ts';
import type { SandboxLimits } from '../limits.ts';
import { encodeMessage, type ScriptReport, type ToWorker } from '../protocol.ts';
import { compileScript, type CompiledScript } from '../script/compile-script.ts';
import { ScriptError } from '../script/script-error.ts';
import { describeWorkerEnd } from './describe-worker-end.ts';
import { readReport, readIssues, readPreview, type Preview } from './read-check.ts';
import { readMessage, type ReadMessage } from './read-message.ts';
import type { ScriptProblem } from './sandbox-run-options.ts';
import type { WorkerFrame } from './worker-frame.ts';

/** What a script reports about itself; `problem` is the reason why something is missing. */
export type ScriptCheck = {
  readonly report?: ScriptReport | undefined;
  readonly preview?: Preview | undefined;
  readonly problem?: CheckProblem | undefined;
};

/** Why a script could not be loaded, or makes no request. `issues` are those of its input. */
export type CheckProblem = ScriptProblem & { readonly issues?: readonly InputIssue[] };

export type CheckOptions = {
  script: string;
  /** Set if the caller also wants the first request. */
  dryRun?: { input?: unknown } | undefined;
  signal: AbortSignal;
  limits: SandboxLimits;
  secrets: () => readonly string[];
  takeFrame: () => Promise<WorkerFrame>;
};

/** Loads a script in a worker of its own, without a model, and ends the worker. Never rejects. */
export async function checkScript(options: CheckOptions): Promise<ScriptCheck> {
  const { script, dryRun, signal, takeFrame } = options;
  let compiled: CompiledScript;
  try {
    compiled = compileScript(script);
  } catch (error) {
    const isOfScript = error instanceof ScriptError;
    const { line, column } = isOfScript ? error : {};
    // the parser's words resemble those for a model's answer that is cut off
    const described = isOfScript ? new CuelineError('script_error', error.message) : error;
    return {
      problem: {
        message: toRunError(described, options.secrets()).message,
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
        phase: 'compile',
      },
    };
  }
  const frame = await takeFrame();
  if (signal.aborted) {
    frame.close();
    return {};
  }
  return follow(frame, compiled, { type: 'check', code: compiled.code, dryRun }, options);
}

function follow(
  frame: WorkerFrame,
  compiled: CompiledScript,
  message: ToWorker,
  { dryRun, signal, limits, secrets }: CheckOptions,
): Promise<ScriptCheck> {
  return new Promise((resolve) => {
    let report: ScriptReport | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = (result: ScriptCheck): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      frame.close();
      resolve({ report, ...result });
    };
    const fail = (error: CuelineError): void => finish({ problem: { message: error.message, phase: 'run' } });
    const abort = (): void => finish({});
    signal.addEventListener('abort', abort);

    const take = (answer: ReadMessage): void => {
      switch (answer.type) {
        case 'ready':
          timer ??= setTimeout(() => fail(tookTooLong(limits)), limits.preview);
          return;
        case 'report':
          report = readReport(answer.report);
          if (report === undefined) fail(unreadable);
          else if (dryRun === undefined) finish({});
          return;
        case 'dry-run': {
          const preview = readPreview(answer.request, answer.warnings);
          if (preview === undefined) fail(unreadable);
          else finish({ preview });
          return;
        }
        case 'failed':
          return finish({ problem: toProblem(answer.error, answer.at && compiled.locate(answer.at)) });
        default:
      }
    };
    frame.open(
      (text) => {
        const answer = readMessage(text);
        if (answer !== undefined) take(answer);
      },
      (end) => fail(describeWorkerEnd(end, limits)),
    );
    frame.send(redactKeys(encodeMessage(message), secrets()));
  });
}

function toProblem(error: SerializedError, at: { line: number; column?: number } | undefined): CheckProblem {
  const issues = error.code === 'invalid_input' ? readIssues(error.details) : [];
  return { message: error.message, ...at, phase: 'run', ...(issues.length > 0 && { issues }) };
}

const unreadable = new CuelineError(
  'script_error',
  'The request that the script reported cannot be read. Reload the page and try again.',
);

function tookTooLong({ preview }: SandboxLimits): CuelineError {
  return new CuelineError(
    'timeout',
    `The script made no request within ${preview / 1_000} s, so its preview was ended. Look for an await that never resolves.`,
  );
}
