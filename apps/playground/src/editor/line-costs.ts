import type { CompiledRequest, RunState } from '@cueline/core';
import { estimateTokens } from '@cueline/core/inspect';
import { agentOf, promptsOf, type PromptOfRun } from '../inspector/prompts-of-run.ts';
import { instructionsName } from '../sandbox/script/definition.ts';
import type { FoundDefinition } from '../sandbox/script/find-definitions.ts';
import { statesOf, type ShownRun } from '../state/shown-run.ts';
import { formatDuration, plural } from '../ui/format.ts';

/** What the definitions of a line cost, in a few characters and in a sentence. */
export type LineCost = { label: string; title: string };

/** `ms` is how long the calls that have ended ran; missing if none has ended. */
type Calls = { calls: number; ms: number | undefined };
type Cost = Calls & { title: string; tokens: number | undefined };

/** The costs of the lines on which a run's definitions are made. */
export function costsOfLines(
  definitions: readonly FoundDefinition[],
  shown: ShownRun,
): ReadonlyMap<number, LineCost> {
  const { state } = shown;
  const states = statesOf(shown);
  const calls = countCalls(states);
  const tokens = tokensOf(state);
  const byLine = new Map<number, Map<string, Cost>>();
  for (const definition of definitions) {
    const { of, name, line } = definition;
    const agent = agentOf(definition, state);
    const key = keyOf(agent, name);
    const isTool = of === 'tool' || of === 'agent';
    const called = isTool ? calls.get(key) : undefined;
    const kind = of === 'agent' ? 'tool' : of;
    const own = tokens.get(`${kind} ${key}`);
    if (called === undefined && own === undefined) continue;
    const costs = byLine.get(line) ?? new Map<string, Cost>();
    byLine.set(line, costs);
    const title = titleOf(of, name, agent);
    // a definition that the line makes again replaces itself
    costs.set(`${kind} ${key}`, { title, calls: called?.calls ?? 0, ms: called?.ms, tokens: own });
  }
  return new Map([...byLine].map(([line, costs]) => [line, describe([...costs.values()])]));
}

function describe(costs: readonly Cost[]): LineCost {
  let [calls, tokens] = [0, 0];
  let ms: number | undefined;
  const sentences: string[] = [];
  for (const { title, ...cost } of costs) {
    calls += cost.calls;
    ms = sumOf(ms, cost.ms);
    tokens += cost.tokens ?? 0;
    const facts = [
      ...(cost.calls === 0
        ? []
        : [
            plural(cost.calls, 'call') + (cost.ms === undefined ? '' : `, ${formatDuration(cost.ms)} in all`),
          ]),
      ...(cost.tokens === undefined ? [] : [`${plural(cost.tokens, 'token')} of the request (estimated)`]),
    ];
    sentences.push(`${title}: ${facts.join(' · ')}`);
  }
  return {
    label:
      calls === 0
        ? `${shortCount(tokens)} tok`
        : `${calls}×${ms === undefined ? '' : ` ${shortDuration(ms)}`}`,
    title: sentences.join('\n'),
  };
}

function titleOf(of: FoundDefinition['of'], name: string, agent: string | undefined): string {
  const own =
    of === 'message'
      ? `Message ${Number(/\d+/.exec(name)?.[0] ?? 0) + 1}`
      : of === 'system' && (name === '' || name === instructionsName)
        ? 'System prompt'
        : name;
  return agent === undefined ? own : `${agent.replaceAll('/', ' › ')} › ${own}`;
}

function keyOf(agent: string | undefined, name: string): string {
  return JSON.stringify([agent ?? null, name]);
}

/** How often each tool was called, and for how long it ran: tools, parts of composite tools, and agents. */
function countCalls(states: readonly RunState[]): Map<string, Calls> {
  const counts = new Map<string, Calls>();
  const add = (agent: string | undefined, name: string, ms: number | undefined): void => {
    const key = keyOf(agent, name);
    const { calls = 0, ms: before } = counts.get(key) ?? {};
    counts.set(key, { calls: calls + 1, ms: sumOf(before, ms) });
  };
  for (const state of states) {
    const made = new Set<string>();
    for (const { work, agent } of promptsOf(state)) {
      for (const { toolName, subCalls = [], ...call } of work.toolCalls) {
        made.add(`${call.toolCallId} ${toolName}`);
        add(agent, toolName, runTime(call));
        for (const { name, ...sub } of subCalls) {
          add(agent, `${toolName}.${name}`, runTime(sub));
        }
      }
    }
    for (const { name, steps, toolCallId, status } of state.agents) {
      // an agent that a tool's function called, instead of the model
      if (name === undefined || made.has(`${toolCallId} ${name}`)) continue;
      const hasEnded = status !== 'running' && status !== 'waiting';
      const finishedAt = hasEnded ? steps.at(-1)?.finishedAt : undefined;
      add(undefined, name, runTime({ startedAt: steps[0]?.startedAt, finishedAt }));
    }
  }
  return counts;
}

type CallTimes = { ms?: number; startedAt?: number | undefined; finishedAt?: number | undefined };

/** How long a call ran; undefined until it has ended. */
function runTime({ ms, startedAt, finishedAt }: CallTimes): number | undefined {
  if (ms !== undefined) return ms;
  return startedAt === undefined || finishedAt === undefined ? undefined : finishedAt - startedAt;
}

function sumOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0);
}

/** The estimated tokens of each definition in the latest request of its prompt. */
function tokensOf(state: RunState): Map<string, number> {
  const tokens = new Map<string, number>();
  const latest = new Map<string | undefined, PromptOfRun>();
  for (const prompt of promptsOf(state)) if (prompt.work.steps.length > 0) latest.set(prompt.agent, prompt);
  for (const { work, agent } of latest.values()) {
    for (const [name, count] of partsOf(work.steps.at(-1)!.request)) {
      const [kind, own] = name;
      tokens.set(`${kind} ${keyOf(agent, own)}`, count);
    }
  }
  return tokens;
}

type Part = [name: [kind: string, name: string], tokens: number];

const estimates = new WeakMap<CompiledRequest, readonly Part[]>();

function partsOf(request: CompiledRequest): readonly Part[] {
  let parts = estimates.get(request);
  if (parts === undefined) estimates.set(request, (parts = tryToCount(request)));
  return parts;
}

/** The parts of a request; none if it is of an imported log whose messages cannot be counted. */
function tryToCount(request: CompiledRequest): readonly Part[] {
  try {
    return estimateTokens(request).parts.map(({ kind, name, tokens }) => [
      [kind === 'instructions' ? 'system' : kind, name],
      tokens,
    ]);
  } catch {
    return [];
  }
}

/** `40 ms`, `0.8 s`, `2 m 05 s`. */
function shortDuration(ms: number): string {
  return ms >= 99.5 && ms < 1_000 ? `${(ms / 1000).toFixed(1)} s` : formatDuration(ms);
}

/** `980`, `1.2k`. */
function shortCount(count: number): string {
  return count < 1_000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}
