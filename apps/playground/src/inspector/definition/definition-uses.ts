import type { AgentState, CompiledRequest, RequestTool, RunState, StepState } from '@cueline/core';
import { estimateTokens } from '@cueline/core/inspect';
import { instructionPartsOf } from '../../request/instruction-segments.ts';

/** A step whose request has a definition. */
export type DefinitionUse = {
  turn: number;
  /** The agent; missing for the run itself. */
  path: string | undefined;
  step: number;
  startedAt: number;
  /** Estimated. */
  tokens: number;
  /** True if it is not the same as in the step before. */
  changed: boolean;
};

type Kind = 'variable' | 'system' | 'tool';

/** The steps of a conversation whose requests have a definition, in order. `runs` are its turns. */
export function usesOfDefinition(kind: Kind, name: string, runs: readonly RunState[]): DefinitionUse[] {
  const uses: DefinitionUse[] = [];
  for (const [turn, run] of runs.entries()) {
    for (const work of [run, ...run.agents]) {
      let last: Sent | undefined;
      for (const step of work.steps) {
        const sent = sentIn(kind, name, step, last);
        if (sent !== undefined) uses.push(useOf(turn, work, step, sent, last));
        last = sent;
      }
    }
  }
  return uses;
}

function useOf(
  turn: number,
  work: RunState | AgentState,
  { step, startedAt }: StepState,
  sent: Sent,
  last: Sent | undefined,
): DefinitionUse {
  const path = 'path' in work ? work.path : undefined;
  const changed = last !== undefined && last.text !== sent.text;
  return { turn, path, step, startedAt, tokens: sent.tokens, changed };
}

/** A tool as a request has it, the last one with this name. */
function toolOf({ tools }: Pick<CompiledRequest, 'tools'>, name: string): RequestTool | undefined {
  return tools.findLast((tool) => tool.name === name);
}

/** A definition as a request has it. `source` is the tool, or the system prompt, whose identity stays if nothing changed. */
type Sent = { source: unknown; text: string; tokens: number };

function sentIn(kind: Kind, name: string, { request }: StepState, last: Sent | undefined): Sent | undefined {
  if (kind === 'tool') {
    const tool = toolOf(request, name);
    if (tool === undefined) return undefined;
    if (tool === last?.source) return last;
    return { source: tool, text: JSON.stringify(tool), tokens: tokensOf({ tools: [tool] }) };
  }
  const { instructions } = request;
  const source = request.instructionParts;
  if (source !== undefined && source === last?.source) return last;
  const parts = instructionPartsOf(request).filter((part) => part.kind === kind && part.name === name);
  if (parts.length === 0) return undefined;
  const text = parts.map(({ start, end }) => instructions.slice(start, end)).join('\n');
  return { source, text, tokens: tokensOf({ instructions: text }) };
}

function tokensOf(request: Partial<CompiledRequest>): number {
  return estimateTokens({ model: '', instructions: '', messages: [], tools: [], settings: {}, ...request })
    .total;
}
