import type { SteerFacts } from './transcript-item.ts';

const ofCall: Record<SteerFacts['after'], string> = {
  calls: 'Told after the tool calls',
  answer: 'Sent back: the answer cannot be used',
  failure: 'Sent back: the answer cannot be used',
};
const ofSession: Record<SteerFacts['after'], string> = {
  calls: 'Told by the session',
  answer: 'Nudged: no tool was called',
  failure: 'Told of the failure',
};

/** Why the model was told something between two steps, in a few words. */
export function steerWords({ cause, after }: SteerFacts): string {
  switch (cause) {
    case 'tasks':
      return 'Reminded: tasks are open';
    case 'output':
      return 'Sent back: the answer does not fit its schema';
    case 'session':
      return ofSession[after];
    case 'call':
      return ofCall[after];
    case 'user':
      return 'Told in between';
  }
}
