import type { ToolApprovalStatus, ToolSet } from 'ai';
import type { StreamTextOptions } from './options.ts';

type Configuration = NonNullable<StreamTextOptions['toolApproval']>;
type Status = ToolApprovalStatus | undefined;

/** What `options.toolApproval` says of a call: to ask for an approval, and why, or to run it without one. */
export type ApprovalVerdict = { asks: boolean; reason?: string | undefined };

type Decide = (toolName: string, toolCallId: string, status: Status) => Status;

/** `options.toolApproval`, with the approvals that it asks for left to the run. */
export type ToolApproval = {
  /** For the AI SDK, which then only decides by itself. */
  configuration: Configuration | undefined;
  /** What it has said of a call; undefined where it leaves that to the tool and to `options.approval`. */
  verdictOf(toolCallId: string): ApprovalVerdict | undefined;
};

/**
 * Where the AI SDK itself asks for an approval, the run ends. So a call that needs one is let through, and asks when it
 * is about to run. What runs elsewhere, in the page or at the provider, is left to the AI SDK.
 */
export function createToolApproval(given: Configuration | undefined, tools: () => ToolSet): ToolApproval {
  const verdicts = new Map<string, ApprovalVerdict>();

  function decide(toolName: string, toolCallId: string, status: Status): Status {
    const { type, reason } = typeof status === 'object' ? { reason: undefined, ...status } : { type: status };
    verdicts.delete(toolCallId);
    if (type === 'approved') verdicts.set(toolCallId, { asks: false });
    const runsHere = Object.hasOwn(tools(), toolName) && tools()[toolName]?.execute !== undefined;
    if (type !== 'user-approval' || !runsHere) return status;
    verdicts.set(toolCallId, { asks: true, reason });
    return 'not-applicable';
  }

  return { configuration: around(given, decide), verdictOf: (toolCallId) => verdicts.get(toolCallId) };
}

/** The same configuration, with `decide` asked about everything that it says. */
function around(given: Configuration | undefined, decide: Decide): Configuration | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'function') {
    return async (call) => decide(call.toolCall.toolName, call.toolCall.toolCallId, await given(call));
  }
  const decided: Exclude<Configuration, (...given: never) => unknown> = {};
  for (const [name, own] of Object.entries(given)) {
    decided[name] = async (input, call) =>
      decide(name, call.toolCallId, typeof own === 'function' ? await own(input, call) : own);
  }
  return decided;
}
