import { isPending, type RunState } from '@cueline/core';
import { allPending } from '../state/pending.ts';
import { plural } from '../ui/format.ts';
import { spokenText } from '../ui/spoken-text.ts';
import { visibleText } from '../ui/visible-text.ts';
import { errorMessage } from './error-messages.ts';

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
      const position = all.indexOf(asked) + 1;
      const name = visibleText(asked.toolName);
      const question = 'clientCallId' in asked ? `what does ${name} return?` : `may ${name} run?`;
      return `Waiting for you${position === 1 ? '' : `, question ${position}`}: ${question}`;
    }
    case 'running': {
      const agent = state.agents.findLast(({ status }) => status === 'running');
      if (agent !== undefined) return `Agent ${visibleText(agent.name ?? '')} is working.`;
      const call = state.toolCalls.findLast(({ state: callState }) => callState === 'running');
      if (call !== undefined) return `Running tool ${visibleText(call.toolName)}.`;
      const step = state.steps.length;
      if (step === 0) return 'Run started.';
      // thinking, writing and calling follow each other within a second
      const isHeld = state.phase === 'retrying' || state.phase === 'offline';
      return isHeld ? `Step ${step}: ${phaseLabel[state.phase]}.` : `Step ${step}.`;
    }
    case 'done': {
      const failed = state.toolCalls.filter(({ state: callState }) => callState === 'output-error').length;
      const tools = state.toolCalls.length;
      const calls = tools === 0 ? '' : ` ${plural(tools, 'tool call')}, ${failed} failed.`;
      const answer = spokenText(state.text).slice(0, 200);
      return `Run done.${calls} ${answer === '' ? (state.warnings.at(-1) ?? '') : answer}`;
    }
    case 'stopped':
      return 'Run stopped.';
    case 'error':
      return `Run failed. ${visibleText(errorMessage(state.error)).slice(0, 300)}`;
  }
}

/** What a run is doing, in the words of the interface. */
export const phaseLabel: Record<Extract<RunState, { status: 'running' }>['phase'], string> = {
  requesting: 'waiting for the model',
  reasoning: 'thinking',
  text: 'writing',
  'tool-input': 'calling a tool',
  tools: 'running tools',
  retrying: 'trying again',
  offline: 'waiting for the network',
};
