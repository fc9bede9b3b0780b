import { withoutUndefined } from '../base/without-undefined.ts';
import { isEarlierLog, LOG_VERSION, type RunEvent } from './events.ts';

/** An event of version 1 that approvals and calls of client tools shared. */
type SharedEvent = {
  type: 'request-open' | 'request-begin' | 'request-answer' | 'request-withdraw';
  requestId: string;
  kind?: 'approval' | 'client-tool';
  fault?: string;
  answer?: { approve?: boolean };
};

/** An event of version 1 that has another form in version 2. */
type EarlierEvent = SharedEvent | { type: 'tool-approval' } | { type: 'run-start'; v: number };

/**
 * Returns a log in the current version: the log itself if it is in that version or in an unknown one. Version 1 had
 * one pair of events, `request-open` and `request-answer`, for approvals and for client tools.
 */
export function upgradeLog(events: readonly RunEvent[]): readonly RunEvent[] {
  return isEarlierLog(events) ? events.map(createUpgrade()) : events;
}

/** Returns a function that upgrades the events of one log, in order. It returns events of this version unchanged. */
export function createUpgrade(): (event: RunEvent) => RunEvent {
  /** Ids of the requests that were calls of client tools. */
  const clientCalls = new Set<string>();
  return (event) => upgrade(event as unknown as EarlierEvent, clientCalls) as RunEvent;
}

/** Returns the event in the current version. A stored event may be anything. */
function upgrade(event: EarlierEvent | undefined, clientCalls: Set<string>): unknown {
  switch (event?.type) {
    case 'run-start':
      return event.v === 1 ? { ...event, v: LOG_VERSION } : event;
    case 'tool-approval':
      return { ...event, type: 'approval-automatic' };
    case 'request-open': {
      const isClientTool = event.kind === 'client-tool';
      if (isClientTool) clientCalls.add(event.requestId);
      return separate(event, 'request', isClientTool);
    }
    case 'request-begin':
      return separate(event, 'claim', true);
    case 'request-answer':
      return separate(event, 'response', event.answer?.approve === undefined);
    case 'request-withdraw':
      return separate(event, 'withdraw', clientCalls.has(event.requestId));
    default:
      return event;
  }
}

/** Returns a shared event as that of a client tool, or of an approval. */
function separate(event: SharedEvent, action: string, isClientTool: boolean): object {
  const { requestId, kind: _kind, fault: reason, answer, ...rest } = event;
  const { approve: approved, ...more } = answer ?? {};
  return withoutUndefined({
    ...rest,
    ...(isClientTool
      ? { type: `client-tool-${action}`, clientCallId: requestId }
      : { type: `approval-${action}`, approvalId: requestId }),
    reason,
    response: approved === undefined ? answer : { approved, ...more },
  });
}
