import { isPending, type RunState } from '@cueline/core';
import { allPending } from '../state/pending.ts';

/** The run's status in a few words, announced to screen readers when it changes. */
export function announcement(state: RunState): string {
  switch (state.status) {
    case 'idle':
      return '';
    case 'waiting': {
      const all = allPending(state);
      const asked = all.find(isPending);
      if (asked === undefined) return 'Run ended. It waits for an answer.';
      // the same words twice would be announced once
      const place = all.indexOf(asked) + 1;
      return `Waiting for you${place === 1 ? '' : `, question ${place}`}: may ${asked.toolName} run?`;
    }
    case 'running': {
      const agent = state.agents.findLast(({ status }) => status === 'running');
      if (agent !== undefined) return `Agent ${agent.name ?? ''} at work.`;
      const call = state.toolCalls.findLast(({ state: stand }) => stand === 'running');
      if (call !== undefined) return `Running tool ${call.toolName}.`;
      const step = state.steps.length;
      return step === 0 ? 'Run started.' : `Step ${step}: ${phaseLabel[state.phase]}.`;
    }
    case 'done': {
      const failed = state.toolCalls.filter(({ state: stand }) => stand === 'output-error').length;
      const tools = state.toolCalls.length;
      const toolWords =
        tools === 0 ? '' : ` ${tools} tool ${tools === 1 ? 'call' : 'calls'}, ${failed} failed.`;
      return `Run done.${toolWords} ${withoutMarks(state.text).slice(0, 200)}`;
    }
    case 'stopped':
      return 'Run stopped.';
    case 'error':
      return `Run failed. ${state.error.message}`;
  }
}

/** Markdown as it is read aloud: without the marks of headings, lists, links, code and emphasis. */
function withoutMarks(markdown: string): string {
  return markdown
    .slice(0, 2_000)
    .replaceAll(/```[^\n]*|~~~[^\n]*/g, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+/gm, '')
    .replaceAll(/^[ \t]*(?:\|?[ \t]*:?-{3,}:?[ \t]*)+\|?[ \t]*$/gm, '')
    .replaceAll(/[*_~]{2,}|`|(?<![\p{L}\p{N}])[*_]|[*_](?![\p{L}\p{N}])/gu, '')
    .replaceAll(/[ \t]*\|[ \t]*/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** What a run is doing, in the words of the interface. */
export const phaseLabel: Record<Extract<RunState, { status: 'running' }>['phase'], string> = {
  requesting: 'waiting for the model',
  reasoning: 'thinking',
  text: 'writing',
  'tool-input': 'calling a tool',
  tools: 'running tools',
  retrying: 'trying again',
  offline: 'waiting for a network',
};
