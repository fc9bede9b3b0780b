import type { ModelMessage, ToolApprovalStatus, ToolSet } from 'ai';
import { CuelineError } from '../base/errors.ts';
import type { StreamTextOptions } from '../prompt/call-settings.ts';

type Configuration = NonNullable<StreamTextOptions['toolApproval']>;
type Status = ToolApprovalStatus | undefined;

/** The verdict of `options.toolApproval` on a call: whether to ask for an approval, and why. */
export type ApprovalVerdict = { asks: boolean; reason?: string | undefined };

type Decide = (toolName: string, toolCallId: string, status: Status) => Status;

/** `options.toolApproval`, with the approvals left to the run. */
export type ToolApproval = {
  /** The configuration for the AI SDK, which then decides only what needs no approval from a person. */
  configuration: Configuration | undefined;
  /**
   * Decides about a call that an earlier attempt, or another process, has left open, before it is made here. Returns
   * why it is refused, if it is.
   */
  review(
    call: { toolCallId: string; toolName: string; input: unknown },
    messages: readonly ModelMessage[],
  ): Promise<string | undefined>;
  /** The verdict on a call; undefined if it is left to the tool and to `options.approval`. */
  verdictOf(toolName: string, toolCallId: string): ApprovalVerdict | undefined;
  /** Throws `invalid_options` if the configuration always asks about a tool without a function. */
  check(): void;
};

/**
 * If the AI SDK itself asked for an approval, the run would end. So a call that needs one is let through, and
 * asks when it is about to run. The AI SDK decides about tools that the provider runs.
 */
export function createToolApproval(
  configuration: Configuration | undefined,
  tools: () => ToolSet,
): ToolApproval {
  // a model may use the id of an earlier call again, for another tool
  const verdicts = new Map<string, ApprovalVerdict>();
  const keyOf = (toolName: string, toolCallId: string): string => JSON.stringify([toolName, toolCallId]);

  function decide(toolName: string, toolCallId: string, status: Status): Status {
    const { type, reason } = typeof status === 'object' ? { reason: undefined, ...status } : { type: status };
    const key = keyOf(toolName, toolCallId);
    verdicts.delete(key);
    if (type === 'approved') verdicts.set(key, { asks: false });
    const tool = Object.hasOwn(tools(), toolName) ? tools()[toolName] : undefined;
    if (type !== 'user-approval' || tool === undefined) return status;
    if (hasNoFunction(tool)) throw noFunctionError(toolName, 'options.toolApproval');
    if (tool.execute === undefined) return status;
    verdicts.set(key, { asks: true, reason });
    return 'not-applicable';
  }

  const deciding = withDecision(configuration, decide);

  /** Asks the configuration about a call as the AI SDK does. */
  async function ask(
    { toolCallId, toolName, input }: Parameters<ToolApproval['review']>[0],
    messages: readonly ModelMessage[],
  ): Promise<Status> {
    const context = { messages: [...messages], runtimeContext: undefined };
    if (typeof deciding === 'function') {
      const toolCall = { type: 'tool-call', toolCallId, toolName, input, dynamic: true };
      return deciding({ toolCall, tools: tools(), toolsContext: {}, ...context } as never);
    }
    const own = deciding !== undefined && Object.hasOwn(deciding, toolName) ? deciding[toolName] : undefined;
    if (typeof own !== 'function') return own;
    return own(input, { toolCallId, toolContext: undefined, ...context } as never);
  }

  return {
    configuration: deciding,
    async review(call, messages) {
      const status = await ask(call, messages);
      const { type, reason } =
        typeof status === 'object' ? { reason: undefined, ...status } : { type: status, reason: undefined };
      return type === 'denied' ? (reason ?? 'This call was not approved.') : undefined;
    },
    verdictOf: (toolName, toolCallId) => verdicts.get(keyOf(toolName, toolCallId)),
    check() {
      if (typeof configuration === 'function') return;
      for (const [name, own] of Object.entries(configuration ?? {})) {
        const asks = (typeof own === 'object' ? own.type : own) === 'user-approval';
        const tool = asks && Object.hasOwn(tools(), name) ? tools()[name] : undefined;
        if (tool !== undefined && hasNoFunction(tool)) throw noFunctionError(name, 'options.toolApproval');
      }
    },
  };
}

/** True for an AI SDK tool whose calls run neither here nor at the provider. */
export function hasNoFunction(tool: ToolSet[string]): boolean {
  return tool.execute === undefined && (tool as { isProviderExecuted?: unknown }).isProviderExecuted !== true;
}

/** Returns the error for an approval of a call that nothing runs: the run would end before the answer. */
export function noFunctionError(name: string, asks: string): CuelineError {
  return new CuelineError(
    'invalid_options',
    `${asks} asks for an approval of ${name}, which has no execute, so nothing would run after the approval. Give the tool an execute: tool({ …, execute }). If the page should run it, declare it with Cueline's tool instead: tool('${name}', description, schema, { needsApproval: true }).`,
    { details: { tool: name } },
  );
}

/** Returns the same configuration, with `decide` called on each of its verdicts. */
function withDecision(configuration: Configuration | undefined, decide: Decide): Configuration | undefined {
  if (configuration === undefined) return undefined;
  if (typeof configuration === 'function') {
    return async (call) =>
      decide(call.toolCall.toolName, call.toolCall.toolCallId, await configuration(call));
  }
  const decided: Exclude<Configuration, (...configuration: never) => unknown> = {};
  for (const [name, own] of Object.entries(configuration)) {
    decided[name] = async (input, call) =>
      decide(name, call.toolCallId, typeof own === 'function' ? await own(input, call) : own);
  }
  return decided;
}
