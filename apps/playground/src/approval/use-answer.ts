import type { RequestAnswer, Run } from '@cueline/core';
import { useEffect, useState } from 'react';
import { sendAnswer } from './send-answer.ts';

/** How long a request takes no click after it has appeared, in milliseconds. */
const FRESH_MS = 400;

/** What a card needs to answer a request. */
export type Answering = {
  answer(given: RequestAnswer): Promise<void>;
  /** True from an answer until the run has accepted or refused it. */
  isSending: boolean;
  /** True for the first moments, in which a click may still be meant for the request before. */
  isFresh: boolean;
  /** True for a click in these moments. The keyboard answers at once. */
  isUnread(click: { detail: number }): boolean;
  /** Why the last answer was not accepted. */
  refusal: string | undefined;
};

/** Answers one request of a run, and says how that goes. */
export function useAnswer(run: Run, requestId: string): Answering {
  const [isSending, setIsSending] = useState(false);
  const [isFresh, setIsFresh] = useState(true);
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    // a second click on the request before must not answer this one unread
    const timer = setTimeout(() => setIsFresh(false), FRESH_MS);
    return () => clearTimeout(timer);
  }, []);
  return {
    async answer(given) {
      setIsSending(true);
      setRefusal(undefined);
      setRefusal(await sendAnswer(run, requestId, given));
      setIsSending(false);
    },
    isSending,
    isFresh,
    isUnread: ({ detail }) => isFresh && detail > 0,
    refusal,
  };
}
