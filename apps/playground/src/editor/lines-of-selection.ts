import type { RunState } from '@cueline/core';
import { agentOf, definitionsOf, namesOf, promptsOf, type Work } from '../inspector/prompts-of-run.ts';
import { messageName } from '../sandbox/script/definition.ts';
import type { FoundDefinition, FoundDefinitions } from '../sandbox/script/find-definitions.ts';
import type { Selection } from '../state/inspection.ts';
import { statesOf, type ShownRun } from '../state/shown-run.ts';

/** Lines of the script, both included. */
export type LineRange = { line: number; lastLine: number };

const listTools = new Set([
  'startTask',
  'finishTask',
  'createTask',
  'updateTask',
  'completeTask',
  'getTaskList',
  'deleteTask',
]);

/** The lines that made the selection; `stateOf` returns the state of a turn. */
export function linesOfSelection(
  selection: Selection,
  { definitions, promptLine }: FoundDefinitions,
  stateOf: (turn: number) => RunState | undefined,
): readonly LineRange[] {
  if (selection.kind === 'definition') {
    const { of, name, agent } = selection;
    return definitionsOf(definitions, [of], name, agent);
  }
  const state = stateOf(selection.turn);
  const work: Work | undefined =
    selection.agent === undefined ? state : state?.agents.find(({ path }) => path === selection.agent);
  if (state === undefined || work === undefined) return [];
  const agent = namesOf(state.agents, selection.agent);
  const ofTool = (name: string): readonly FoundDefinition[] => {
    const found = definitionsOf(definitions, ['tool', 'agent'], name, agent);
    return found.length === 0 && listTools.has(name)
      ? definitionsOf(definitions, ['tasks'], 'tasks', agent)
      : found;
  };
  const own = ownLines(definitions, promptLine, agent);
  if (selection.kind === 'call') {
    const { step, toolCallId } = selection;
    const call = work.toolCalls.find((one) => one.toolCallId === toolCallId && one.step === step);
    if (call === undefined) return [];
    const found = ofTool(call.toolName);
    return found.length > 0 ? found : own;
  }
  const added =
    selection.step === 0
      ? messagesOf(definitions, work.steps[0]?.request.messages.length ?? 0, agent)
      : work.toolCalls
          .filter(({ step }) => step === selection.step - 1)
          .flatMap(({ toolName }) => ofTool(toolName));
  return added.length > 0 ? [...new Set(added)] : own;
}

/** The line of the prompt itself, or of the agent. */
function ownLines(
  definitions: readonly FoundDefinition[],
  promptLine: number | undefined,
  agent: string | undefined,
): readonly LineRange[] {
  if (agent === undefined)
    return promptLine === undefined ? [] : [{ line: promptLine, lastLine: promptLine }];
  const names = agent.split('/');
  const outer = names.length === 1 ? undefined : names.slice(0, -1).join('/');
  return definitionsOf(definitions, ['agent'], names.at(-1)!, outer);
}

function messagesOf(
  definitions: readonly FoundDefinition[],
  count: number,
  agent: string | undefined,
): readonly FoundDefinition[] {
  const names = new Set(Array.from({ length: count }, (_, index) => messageName(index)));
  return definitions.filter((one) => one.of === 'message' && one.agent === agent && names.has(one.name));
}

/** The selection for a line: the latest call of the tool that it defines, otherwise its definition. */
export function selectionOfLine(
  line: number,
  { definitions }: FoundDefinitions,
  shown: ShownRun,
): Selection | undefined {
  const { state, turn } = shown;
  const here = definitions.filter((one) => one.line <= line && line <= one.lastLine);
  // of nested definitions, the innermost
  const start = Math.max(...here.map((one) => one.line));
  const starting = here.filter((one) => one.line === start);
  const states = statesOf(shown);
  for (const definition of starting) {
    if (definition.of !== 'tool' && definition.of !== 'agent') continue;
    for (let at = turn; at >= 0; at -= 1) {
      const found = latestCall(definition, states[at]!, at);
      if (found !== undefined) return found;
    }
  }
  const [first] = starting;
  if (first === undefined) return undefined;
  const { of, name } = first;
  const agent = agentOf(first, state);
  return { kind: 'definition', of, name, ...(agent === undefined ? {} : { agent }) };
}

/** The latest call of a tool or an agent in one turn. */
function latestCall(definition: FoundDefinition, state: RunState, turn: number): Selection | undefined {
  const wanted = agentOf(definition, state);
  const [whole, part] = definition.name.split('.');
  const calls = promptsOf(state)
    .filter(({ agent }) => agent === wanted)
    .flatMap(({ work, path }) => work.toolCalls.map((call) => ({ call, path })))
    .filter(({ call }) => call.toolName === whole)
    .filter(({ call }) => part === undefined || call.subCalls?.some(({ name }) => name === part));
  const latest = calls.toSorted((a, b) => a.call.calledAt - b.call.calledAt).at(-1);
  if (latest !== undefined) {
    const { call, path } = latest;
    return { kind: 'call', turn, agent: path, step: call.step, toolCallId: call.toolCallId };
  }
  if (definition.of !== 'agent') return undefined;
  // an agent that a tool's function has called has no call of its own in the run
  const agent = state.agents.findLast(({ name, steps }) => name === definition.name && steps.length > 0);
  return agent && { kind: 'step', turn, agent: agent.path, step: agent.steps.length - 1 };
}
