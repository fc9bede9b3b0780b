import type { EditReply, RunCommand, RunEvent, RunRequest } from '@cueline/core';

/**
 * A host of runs that outlive their process, as a route needs it: `createDurable` of `@cueline/durable` returns
 * one.
 */
export type DurableHost = {
  /** The names of the prompts that may run. */
  readonly prompts: readonly string[];
  /** Enforces the limits of the runs: the guard of {@link createRunGuard}. */
  readonly guard?: object | undefined;
  /** Starts a run of a subject, under an id that is new, or finds the one that was started with its key. */
  begin(
    request: RunRequest,
    owner: {
      subject: string;
      chat?: string | undefined;
      /** The daily limits of the subject, if `auth` returns some; null is no limit. */
      dailyTokens?: number | null | undefined;
      dailyCost?: number | null | undefined;
    },
    newId: string,
  ): Promise<{ runId: string; isNew: boolean }>;
  /** Finds a run by its id or key, or the latest of a conversation. */
  find(
    which: { runId: string } | { key: string } | { subject: string; chat: string },
  ): Promise<
    { runId: string; owner: { subject: string } | undefined; endSeq: number | undefined } | undefined
  >;
  /** Lets a worker advance a run soon. Does no harm to a run that needs none. */
  wake(runId: string): Promise<void>;
  /** Returns the stored events after `afterSeq`. */
  read(runId: string, afterSeq: number): Promise<{ events: readonly RunEvent[] } | undefined>;
  /** Returns the events after `afterSeq`, past and future. Aborting the signal only stops watching. */
  watch(runId: string, afterSeq: number, signal: AbortSignal): AsyncIterable<RunEvent>;
  /** Sends a command to a run, or stops it, whether or not a worker is up. */
  respond(runId: string, command: RunCommand | { type: 'stop' }): Promise<EditReply>;
};
