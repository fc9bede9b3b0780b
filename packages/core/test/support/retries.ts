import { APICallError } from '@ai-sdk/provider';
import { CuelineError } from '@cueline/core';
import { afterEach, beforeEach, vi } from 'vitest';
import { finish, started, text, type Part } from './scripted-provider.ts';

export const whole = [started, ...text('Hello.'), finish('stop')];

export function refused(
  status: number,
  headers: Record<string, string> = {},
  responseBody?: string,
): APICallError {
  return new APICallError({
    message: 'No.',
    url: 'https://lab.example/v1',
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: headers,
    ...(responseBody === undefined ? {} : { responseBody }),
  });
}

export const browserFailure = new TypeError('Failed to fetch');

export const reset = new TypeError('terminated');

export const reasoning: Part[] = [
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'r' },
];

export const signature: Part = {
  type: 'reasoning-delta',
  id: 'r',
  delta: '',
  providerMetadata: { lab: { signature: 's' } },
};

/** The code, and the details that say what happened. */
export function named(error: unknown): unknown {
  return CuelineError.isInstance(error) ? { code: error.code, ...error.details } : error;
}

/** Holds time still for every test of a file, and fails a test that leaves a timer behind. */
export function fakeClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'],
      now: Date.UTC(2026, 10, 22, 12),
    });
  });
  afterEach(() => {
    // whatever happened: no timer outlives its call
    const left = vi.isFakeTimers() ? vi.getTimerCount() : 0;
    vi.useRealTimers();
    vi.unstubAllGlobals();
    if (left > 0) throw new Error(`${left} timers are left.`);
  });
}
