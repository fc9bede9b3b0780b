import type { CompiledRequest, RequestTool, RunState, StepState } from '@cueline/core';
import { estimateTokens } from '@cueline/core/inspect';
import type { NamedKind } from '../../request/definition-name.tsx';
import { instructionPartsOf, instructionSegments } from '../../request/instruction-segments.ts';
import { instructionsName } from '../../sandbox/script/definition.ts';
import { sentStepOf, promptsInTurns, type SentStep } from './prompt-steps.ts';

/** A step whose request has a definition. */
export type DefinitionUse = SentStep & {
  /** Estimated. */
  tokens: number;
  /** True if it differs from the step before. */
  changed: boolean;
};

/**
 * The steps of a conversation whose requests have a definition, in order. `runs` are its turns; `agent` is the names of
 * the agents in whose prompt the definition is, undefined for the run itself.
 */
export function usesOfDefinition(
  kind: NamedKind,
  name: string,
  runs: readonly RunState[],
  agent?: string,
): DefinitionUse[] {
  const uses: DefinitionUse[] = [];
  for (const prompt of promptsInTurns(runs, agent)) {
    let last: Sent | undefined;
    for (const step of prompt.work.steps) {
      const sent = sentIn(kind, name, step, last);
      if (sent !== undefined) {
        const changed = last !== undefined && last.text !== sent.text;
        uses.push({ ...sentStepOf(prompt, step), tokens: sent.tokens, changed });
      }
      last = sent;
    }
  }
  return uses;
}

/** A tool as a request has it, the last one with this name. */
function toolOf({ tools }: Pick<CompiledRequest, 'tools'>, name: string): RequestTool | undefined {
  return tools.findLast((tool) => tool.name === name);
}

/**
 * A definition as a request has it. `source` is the tool, or the system prompt, whose identity stays if nothing
 * changed.
 */
type Sent = { source: unknown; text: string; tokens: number };

function sentIn(
  kind: NamedKind,
  name: string,
  { request }: StepState,
  last: Sent | undefined,
): Sent | undefined {
  if (kind === 'tool') {
    const tool = toolOf(request, name);
    if (tool === undefined) return undefined;
    if (tool === last?.source) return last;
    return { source: tool, text: JSON.stringify(tool), tokens: tokensOf({ tools: [tool] }) };
  }
  const source = request.instructionParts;
  if (source !== undefined && source === last?.source) return last;
  const text = partText(kind, name, request);
  return text === undefined ? undefined : { source, text, tokens: tokensOf({ instructions: text }) };
}

/** A definition's part of the system prompt; undefined if it has none. */
function partText(kind: NamedKind, name: string, request: CompiledRequest): string | undefined {
  const parts = instructionPartsOf(request).filter((part) => part.kind === kind && part.name === name);
  if (parts.length > 0) {
    return parts.map(({ start, end }) => request.instructions.slice(start, end)).join('\n');
  }
  // the parts do not include the system prompt of a session or an agent call
  if (kind !== 'system' || name !== instructionsName) return undefined;
  const rest = instructionSegments(request).filter(({ part }) => part === undefined);
  return rest.length === 0 ? undefined : rest.map(({ text }) => text).join('\n');
}

function tokensOf(request: Partial<CompiledRequest>): number {
  return estimateTokens({ model: '', instructions: '', messages: [], tools: [], settings: {}, ...request })
    .total;
}
