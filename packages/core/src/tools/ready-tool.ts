import type { ToolSet } from 'ai';
import { isRecord } from '../base/is-record.ts';
import { capOutput } from './cap-output.ts';
import { toModelError } from './model-error.ts';
import type { SettlingRules, ToolContext, ToolEffect, ToolRules } from './tool-types.ts';

/** Returns what an MCP server declares of its tool. */
export function hintsOf({ metadata }: ToolSet[string]): SettlingRules {
  const annotations = metadata?.['annotations'];
  if (!isRecord(annotations)) return {};
  return {
    ...(annotations['readOnlyHint'] === true ? { effect: 'read' } : {}),
    ...(annotations['idempotentHint'] === true ? { idempotent: true } : {}),
  };
}

/** Throws the error that a tool of an MCP server reports as its result, with the tool's text. */
export function throwReported(output: unknown): void {
  if (!isRecord(output) || output['isError'] !== true || !Array.isArray(output['content'])) return;
  // an error is a text; the model only reads that there was other content
  const words = output['content'].map((part: { type?: unknown; text?: unknown } | null) =>
    typeof part?.text === 'string' ? part.text : `[${String(part?.type)}]`,
  );
  const text = String(capOutput(words.join('\n') || 'The tool failed without a reason.'));
  throw toModelError(text, undefined, 'tool');
}

/**
 * Returns the rules of a tool of the AI SDK or of an MCP server. It counts as `external` unless it says that it
 * reads.
 */
export function readyRules(ready: ToolSet[string]): ToolRules {
  const hints = hintsOf(ready);
  const { needsApproval } = ready;
  return {
    ...hints,
    needsApproval: async (args: unknown, asked: readonly ToolEffect[], context?: ToolContext) => {
      const decision =
        typeof needsApproval === 'function' ? await needsApproval(args, context as never) : needsApproval;
      return decision ?? (asked.includes('external') && hints.effect !== 'read');
    },
  };
}
