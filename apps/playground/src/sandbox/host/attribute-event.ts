import type {
  ApprovalResponse,
  ClientToolResponse,
  RunCommand,
  RunEvent,
  SerializedError,
} from '@cueline/core';
import { modelFields } from './run-log-writer.ts';

/** What the page itself knows about a run, because the worker could claim anything. */
export type KnownValues = {
  /** `provider:model`. */
  model: () => string;
  /** The input that the user gave; undefined if there is none. */
  input: unknown;
  /** Returns the error with what the page itself knows about a failed model call. */
  attributeError: (error: SerializedError) => SerializedError;
};

/** Replaces the worker's claims in events with what the page itself knows. */
export type EventAttribution = {
  /** Returns the event with what the page itself knows. */
  attribute(event: RunEvent): RunEvent;
  /** Remembers the user's response, if the command is one. */
  remember(command: RunCommand): void;
};

export function createEventAttribution({ model, input, attributeError }: KnownValues): EventAttribution {
  const approvals = new Map<string, ApprovalResponse>();
  const clientTools = new Map<string, ClientToolResponse>();
  return {
    remember(command) {
      if (command.type === 'approval-response') approvals.set(command.approvalId, command.response);
      if (command.type === 'client-tool-response') clientTools.set(command.clientCallId, command.response);
    },
    attribute(event) {
      switch (event.type) {
        case 'run-start': {
          const { simulated: _claimed, input: _input, ...start } = event;
          return { ...start, ...modelFields(model()), ...(input === undefined ? {} : { input }) };
        }
        case 'step-start':
          return event.request.model === undefined
            ? event
            : { ...event, request: { ...event.request, model: model() } };
        case 'agent-start':
          return { ...event, model: model() };
        // a response that the user never gave becomes a withdrawal
        case 'approval-response': {
          const { seq, t, approvalId, agent } = event;
          const response = approvals.get(approvalId);
          if (response !== undefined) return { ...event, response };
          return { seq, t, type: 'approval-withdraw', approvalId, ...(agent !== undefined && { agent }) };
        }
        case 'client-tool-response': {
          const { seq, t, clientCallId, agent } = event;
          const response = clientTools.get(clientCallId);
          if (response !== undefined) return { ...event, response };
          return {
            seq,
            t,
            type: 'client-tool-withdraw',
            clientCallId,
            ...(agent !== undefined && { agent }),
          };
        }
        case 'agent-end':
        case 'run-end':
          return event.error === undefined ? event : { ...event, error: attributeError(event.error) };
        default:
          return event;
      }
    },
  };
}
