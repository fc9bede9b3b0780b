import type { SteerFields } from './transcript-item.ts';

const ofSession: Record<SteerFields['after'], string> = {
  calls: 'Sent by the session',
  answer: 'Nudged: no tool was called',
  failure: 'Sent by the session',
};

/** Why the model got feedback between two steps, in a few words. */
export function steerLabel({ cause, after }: SteerFields): string {
  switch (cause) {
    case 'tasks':
      return 'Reminded: tasks are open';
    case 'output':
      return 'Sent back: the answer does not fit its schema';
    case 'session':
      return ofSession[after];
    case 'call':
      return 'Sent after the tool calls';
    case 'correction':
      return after === 'failure' ? 'Informed of the failure' : 'Sent back: the answer cannot be used';
    case 'user':
      return 'User message during the run';
  }
}
