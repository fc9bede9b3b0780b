import type { FlexibleSchema } from 'ai';
import { thrownText, withSource } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { canonicalCall } from '../json/canonical.ts';
import { toJson } from '../messages/to-json.ts';
import { needsApproval } from '../tools/needs-approval.ts';
import { parseWith } from '../tools/schema.ts';
import type { ToolContext, ToolEffect, ToolRules } from '../tools/tool-types.ts';
import type { AgentContext } from './run-context.ts';
import type { ApprovalVerdict } from './tool-approval.ts';

class RefusedApproval extends Error {
  // The model reads this without an error's name before it, because a refused approval is not an error.
  override readonly name = '';
}

/** True for the error that stands for a refused approval. */
export function isRefusedApproval(error: unknown): error is Error {
  return error instanceof RefusedApproval;
}

/** The beginning of what the model reads of a refused approval. */
export function refusedText(toolName: string): string {
  return `${toolName} was not run, because the user did not approve it`;
}

/** A tool call that may need an approval. */
export type ApprovableCall = {
  toolName: string;
  rules: ToolRules;
  inputSchema: FlexibleSchema;
  args: unknown;
  context: ToolContext;
  /** The verdict of `options.toolApproval` on the call. */
  verdict?: ApprovalVerdict | undefined;
};

/** The maximum number of approvals of one call whose edited arguments the schema refuses. */
const MAX_ATTEMPTS = 3;

/**
 * Returns the arguments with which a call may run: unchanged if it needs no approval, otherwise those of the
 * approval, with `edited` set to the edited ones. If the schema refuses edited arguments, the approval is asked
 * for again. Throws an error that the model reads if the call is refused.
 */
export async function approvedArguments(
  { runContext, path }: AgentContext,
  { toolName, rules, inputSchema, args, context, verdict }: ApprovableCall,
): Promise<{ args: unknown; edited?: unknown }> {
  const { toolCallId, abortSignal } = context;
  const asks =
    runContext.pending.hasRequested(toolCallId, path) ||
    (verdict?.asks ??
      (await runContext.track(needsApproval(rules, args, runContext.approvedEffects, context))));
  if (!asks) return { args };
  const request = { toolCallId, toolName, input: toJson(args, runContext.secrets) };
  let why = verdict?.reason;
  for (let attempts = 1; ; attempts += 1) {
    const explained = why === undefined ? request : { ...request, reason: why };
    const response = await runContext.pending.requestApproval(explained, abortSignal, path);
    if (!response.approved) {
      const reason = response.reason === undefined ? '' : `: ${response.reason}`;
      throw withSource(new RefusedApproval(`${refusedText(toolName)}${reason}.`), 'cueline');
    }
    if (response.input === undefined || isSame(response.input, request.input)) return { args };
    try {
      if (!(await leavesUnchanged(inputSchema, args))) throw new Error(cannotEdit);
      return { args: await parseWith(inputSchema, response.input), edited: response.input };
    } catch (error) {
      // a program that gives the same response each time would otherwise be asked forever
      if (attempts === MAX_ATTEMPTS) throw error;
      why = thrownText(error);
    }
  }
}

const cannotEdit =
  'The schema of this tool changes its arguments, so the call would not run with the arguments that you wrote. Approve the call as it is, or refuse it.';

/**
 * True if the schema leaves arguments that have passed it unchanged. If it does not, edited arguments would be
 * changed again.
 */
async function leavesUnchanged(schema: FlexibleSchema, args: unknown): Promise<boolean> {
  try {
    return isSame(await parseWith(schema, args), args);
  } catch {
    return false;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalCall('', one) === canonicalCall('', other);
}

const effects: ReadonlySet<unknown> = new Set<ToolEffect>(['read', 'write', 'external']);

/** Reads `options.approval`. @throws CuelineError `invalid_options` */
export function readApproval(approval: true | readonly ToolEffect[] | undefined): readonly ToolEffect[] {
  if (approval === undefined) return [];
  if (approval === true) return ['write', 'external'];
  if (Array.isArray(approval) && approval.every((effect) => effects.has(effect))) {
    return approval as readonly ToolEffect[];
  }
  throw new CuelineError(
    'invalid_options',
    "options.approval must be true (for tools with the effect 'write' or 'external'), or a list of effects: approval: ['external'].",
  );
}
