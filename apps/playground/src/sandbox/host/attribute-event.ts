import type {
  ApprovalResponse,
  ClientToolResponse,
  RunCommand,
  RunEvent,
  SerializedError,
} from '@cueline/core';
import { modelFacts } from './run-log-writer.ts';

/** What the page itself knows of a run: the worker could claim anything. */
export type KnownFacts = {
  /** `provider:model`. */
  model: () => string;
  /** The input that the user gave; undefined if there is none. */
  input: unknown;
  /** The error with what the page knows of a failed model call. */
  attributeError: (error: SerializedError) => SerializedError;
};

/** Puts what the page knows in the place of what the worker says. */
export type EventAttribution = {
  /** The event as the page vouches for it. */
  attribute(event: RunEvent): RunEvent;
  /** Remembers the user's response, if the command is one. */
  remember(command: RunCommand): void;
};

export function createEventAttribution({ model, input, attributeError }: KnownFacts): EventAttribution {
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
          return { ...start, ...modelFacts(model()), ...(input === undefined ? {} : { input }) };
        }
        case 'step-start':
          return event.request.model === undefined
            ? event
            : { ...event, request: { ...event.request, model: model() } };
        case 'agent-start':
          return { ...event, model: model() };
        // a response that the user did not give becomes a withdrawal
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
