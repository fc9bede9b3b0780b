import type { FlexibleSchema } from 'ai';
import type { SettlingRules, ToolContext, ToolRules } from '../tools/tool-types.ts';
import type { LoopCheck, LoopCall, LoopVerdict } from './loop-guard.ts';

/** A tool as the pipeline sees it, whichever kind it is. */
export type PipelineTool = {
  name: string;
  rules: ToolRules;
  inputSchema: FlexibleSchema;
  /** True if the tool yields several outputs. */
  streams: boolean;
  /**
   * True if the call counts against `concurrentToolCalls`. An agent's does not, because its own calls need
   * permits; nor does a call that waits for the page.
   */
  needsPermit: boolean;
  /** True if the call starts only when `run` calls `begin`, because the page runs it. */
  startsLater?: boolean;
  /** True if the limit `options.timeout.toolMs` applies when the tool sets none. */
  limitedByDefault?: boolean;
  /** The error message if the call takes longer than `timeoutMs`. */
  timeoutMessage?: string;
  /** Changes a result before the log and the model get it. */
  finish: (output: unknown) => unknown;
  /** `checkCall` is called before each call inside this one; `begin` reports that the call starts now. */
  run: (args: unknown, context: ToolContext, checkCall: CheckCall, begin: () => void) => unknown;
};

/**
 * Counts a call and checks it with the loop guard. Throws an error that the model reads or that ends the run if
 * the call is not allowed.
 */
export type CheckCall = (call: LoopCall, counted?: boolean) => AllowedCall;

/** A call that may be made. `verdict` says whether it runs or repeats an earlier result. */
export type AllowedCall = Omit<LoopCheck, 'verdict'> & {
  verdict: Extract<LoopVerdict, { kind: 'run' | 'repeat' }>;
};

/** The context that the AI SDK passes to a tool. A call that is made again also has its key. */
export type CallContext = Omit<ToolContext, 'idempotencyKey'> & { idempotencyKey?: string };

/** Writes what happens to tool calls into the log. */
export type ToolCallRecorder = {
  /** Resolves once the call is in the log, or after a moment. */
  toolCalled(toolCallId: string): Promise<void> | undefined;
  /** A tool begins to run. */
  toolStarted(toolCallId: string, toolName: string, rules: SettlingRules): void;
  /** A tool has run for `ms` milliseconds. */
  toolTimed(toolCallId: string, ms: number): void;
  /** A call was answered with the result of the same call before. */
  toolRepeated(toolCallId: string): void;
  /** The number of the current step; -1 before the first. */
  readonly step: number;
};
