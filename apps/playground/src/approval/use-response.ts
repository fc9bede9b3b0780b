import type { Run } from '@cueline/core';
import { useEffect, useState } from 'react';
import { forgetDrafts } from '../input/use-kept-state.ts';
import { pendingId, type Pending, type PendingResponse } from '../state/pending.ts';
import { sendResponse } from './send-response.ts';

/** How long a card ignores clicks after it has appeared, in milliseconds. */
const FRESH_MS = 400;

/** What a card needs to send its response. */
export type Responding = {
  respond(response: PendingResponse): Promise<void>;
  /** True from a response until the run has accepted or refused it. */
  isSending: boolean;
  /** True for a moment after the card appears, when a click may still be meant for the previous card. */
  isFresh: boolean;
  /** True for a click during that moment; keys are accepted at once. */
  isUnread(click: { detail: number }): boolean;
  /** Why the last response was not accepted. */
  refusal: string | undefined;
};

/**
 * Sends the response to one approval or client tool call, and returns its progress. `hidden` is true while its card
 * is.
 */
export function useResponse(run: Run, pending: Pending, hidden: boolean): Responding {
  const [isSending, setIsSending] = useState(false);
  const [isFresh, setIsFresh] = useState(true);
  const [refusal, setRefusal] = useState<string>();
  useEffect(() => {
    // a second click on the previous card must not answer this one before the user has read it; a hidden card will
    // appear again
    const timer = setTimeout(() => setIsFresh(hidden), hidden ? 0 : FRESH_MS);
    return () => clearTimeout(timer);
  }, [hidden]);
  return {
    async respond(response) {
      setIsSending(true);
      setRefusal(undefined);
      const refused = await sendResponse(run, pending, response);
      if (refused === undefined) forgetDrafts({ run, id: pendingId(pending) });
      setRefusal(refused);
      setIsSending(false);
    },
    isSending,
    isFresh,
    isUnread: ({ detail }) => isFresh && detail > 0,
    refusal,
  };
}
