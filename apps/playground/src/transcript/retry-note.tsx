import type { RetryState } from '@cueline/core';
import { useRetryCountdown } from '@cueline/react';
import { visibleText } from '../ui/visible-text.ts';

/** A model call that waits for its next attempt: when that begins, and its number. */
export function RetryNote({ retrying }: { retrying: RetryState }) {
  const seconds = useRetryCountdown(retrying);
  const { attempt, maxAttempts, error } = retrying;
  const when = seconds === undefined || seconds === 0 ? 'now' : `in ${seconds} s`;
  return (
    <span
      title={visibleText(error.message)}
    >{`trying again ${when} (attempt ${attempt} of ${maxAttempts})`}</span>
  );
}
