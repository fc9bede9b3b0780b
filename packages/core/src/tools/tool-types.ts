import type { SharedV4ProviderOptions as ProviderOptions } from '@ai-sdk/provider';
import type { ToolExecutionOptions } from 'ai';
import type { LoopRule } from './loop-rule.ts';
import type { ToolSchema } from './schema.ts';

/** The second argument of a tool function: `toolCallId`, `messages`, `abortSignal` and `idempotencyKey`. */
export type ToolContext<Context = unknown> = ToolExecutionOptions<Context> & {
  /**
   * A string that stays the same whenever this call is made again, after a retry, a reload or on another
   * server, and that no other call has. Pass it to a service with idempotency keys, and the service acts on the
   * call once.
   */
  readonly idempotencyKey: string;
};

/** What a call changes: nothing, something of the app, or something outside of it. */
export type ToolEffect = 'read' | 'write' | 'external';

/** How a tool's calls are handled. */
export type ToolRules<Args = unknown> = {
  /** The effect of a call, for approvals and the loop guard. Unset means unknown. */
  effect?: ToolEffect | undefined;
  /**
   * True if making a call twice does the same as making it once, for example because the function passes on
   * `context.idempotencyKey`. A run that continues makes a call again that was interrupted. Default false.
   */
  idempotent?: boolean | undefined;
  /** The same call may be repeated without limit, for example to poll. Default false: repeated calls are a loop. */
  repeatable?: boolean | undefined;
  /** How often the same call may be made. `false` is the same as `repeatable`. Default: as `options.loopGuard` says. */
  loopGuard?: LoopRule | false | undefined;
  /**
   * Whether a call needs an approval before it runs. Default: as `options.approval` says. A function also gets the
   * effects for which the run asks.
   */
  needsApproval?:
    | boolean
    | ((args: Args, asked: readonly ToolEffect[]) => boolean | Promise<boolean>)
    | undefined;
  /**
   * The maximum duration of one call, in milliseconds. Default: 300,000, or as `options.timeout` says. An agent is not
   * limited.
   */
  timeoutMs?: number | undefined;
  /** Passed on to the provider with the tool. */
  providerOptions?: ProviderOptions | undefined;
};

/** The rules that decide what happens to a call that was interrupted. */
export type SettlingRules = Pick<ToolRules, 'effect' | 'idempotent'>;

/** The options of `defTool`: rules, callbacks around each call, and a schema for the result. */
export type ToolOptions<Args = unknown, Output extends ToolSchema = ToolSchema> = ToolRules<Args> & {
  /**
   * A schema for the result. The log and the model get the parsed result. A result that does not fit is an error
   * of the tool, with the path of what is wrong. Plain JSON Schema checks nothing.
   */
  outputSchema?: Output;
  /**
   * Called before the function. If it returns anything but undefined, that is the result, and the function is not
   * called.
   */
  beforeCall?: ((args: Args, context: ToolContext) => unknown) | undefined;
  /** Called with the result. If it returns anything but undefined, that replaces the result. */
  onSuccess?: ((args: Args, output: unknown, context: ToolContext) => unknown) | undefined;
  /** Called with the thrown error. If it returns anything but undefined, that becomes the result. */
  onError?: ((args: Args, error: unknown, context: ToolContext) => unknown) | undefined;
};

/** One call inside a composite tool's call. */
export type SubCall = {
  name: string;
  input: unknown;
  run: (context: ToolContext) => unknown;
} & Partial<Pick<ToolRules, 'effect' | 'repeatable' | 'loopGuard' | 'timeoutMs'>>;

/** The outcome of such a call as the model may read it; `{ error }` if it failed. The note says if it is a repeat. */
export type SubCallOutcome = { result: unknown; note?: string };

/** Makes such a call. */
export type SubCaller = (call: SubCall, context: ToolContext) => Promise<SubCallOutcome>;

/** A function that runs a call, with parsed arguments. */
export type ToolFunction = (args: unknown, context: ToolContext) => unknown;
export type ToolCallbacks = Pick<ToolOptions, 'beforeCall' | 'onSuccess' | 'onError'>;
