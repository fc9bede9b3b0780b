import fc from 'fast-check';
import { call } from '../support.ts';

export const finish = (result: string) => call('finishTask', { result });

export const taskId = fc.integer({ min: 1, max: 6 }).map((n) => `task-${n}`);
