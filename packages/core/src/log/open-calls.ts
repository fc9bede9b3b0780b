import type { RunEvent } from './events.ts';

/** A tool call without a result. */
export type OpenCall = {
  toolCallId: string;
  /** True once the tool runs. */
  started: boolean;
  /** The approval, or the call of a client tool, that it waits for. */
  waitsFor?: string;
  /** True if the provider runs the call once it is approved. */
  providerExecuted?: true;
  /** True if the call was refused, so that its error is not a failure. */
  refused?: boolean;
  /** Path of the agent that works on it. */
  agent?: string;
  /** Id under which a chat shows the call of an agent, which is not part of the answer itself. */
  shownAs?: string;
};

/** Whether a run waits for answers. `soon`: another call may be about to ask, too. */
export type IdleState = 'busy' | 'soon' | 'waiting';

/** The open calls of a run and its agents, and whether the run can only continue with an answer. */
export type OpenCalls = {
  /** Applies the next event. Returns the call of the event, if it has one. */
  apply(event: RunEvent): OpenCall | undefined;
  /** `answered` contains ids of approvals and client tool calls whose response is on its way. */
  stillness(answered: ReadonlySet<string>): IdleState;
  /** The calls of the run itself. */
  own(): OpenCall[];
  /** The calls that wait for an answer, including those of agents. */
  asking(): OpenCall[];
};

export function createOpenCalls(): OpenCalls {
  /** By path of the agent (empty for the run), then by id. */
  const works = new Map<string, Map<string, OpenCall>>();
  /** Texts and arguments that the run itself is streaming. */
  const streaming = new Set<string>();

  const callsOf = (path: string): Map<string, OpenCall> => {
    const calls = works.get(path) ?? new Map<string, OpenCall>();
    works.set(path, calls);
    return calls;
  };

  function open(path: string, toolCallId: string): OpenCall {
    const calls = callsOf(path);
    const call = calls.get(toolCallId) ?? { toolCallId, started: false };
    calls.set(toolCallId, call);
    return call;
  }

  function close(path: string, toolCallId: string): OpenCall | undefined {
    const call = works.get(path)?.get(toolCallId);
    works.get(path)?.delete(toolCallId);
    return call;
  }

  function callWaitingFor(path: string, id: string): OpenCall | undefined {
    for (const call of callsOf(path).values()) if (call.waitsFor === id) return call;
  }

  function apply(event: RunEvent): OpenCall | undefined {
    const path = event.agent ?? '';
    if (event.agent === undefined) noteStreaming(event);
    switch (event.type) {
      case 'step-start':
      case 'step-end':
      case 'retry':
        works.delete(path);
        return;
      case 'tool-input-start':
      case 'tool-input-end':
        // a call that the provider runs waits for nothing here
        if (event.providerExecuted === true) return;
        if (event.type === 'tool-input-end' && event.invalid !== undefined) {
          return close(path, event.toolCallId);
        }
        return open(path, event.toolCallId);
      case 'tool-start': {
        const call = open(path, event.toolCallId);
        call.started = true;
        return call;
      }
      case 'tool-end':
      case 'tool-error':
        return close(path, event.toolCallId);
      case 'agent-start':
        open(path.slice(0, Math.max(0, path.lastIndexOf('/'))), event.toolCallId).agent = path;
        works.set(path, new Map());
        return;
      case 'agent-end':
        works.delete(path);
        return;
      case 'approval-request': {
        const call = open(path, event.toolCallId);
        call.waitsFor = event.approvalId;
        if (event.providerExecuted === true) call.providerExecuted = true;
        return call;
      }
      case 'client-tool-request': {
        const call = open(path, event.toolCallId);
        call.waitsFor = event.clientCallId;
        return call;
      }
      case 'approval-response':
      case 'approval-withdraw': {
        const call = callWaitingFor(path, event.approvalId);
        if (call === undefined) return;
        delete call.waitsFor;
        // its result is another call of the next step
        if (call.providerExecuted === true) close(path, call.toolCallId);
        call.refused = event.type === 'approval-response' && !event.response.approved;
        return call;
      }
      case 'client-tool-response':
      case 'client-tool-withdraw': {
        const call = callWaitingFor(path, event.clientCallId);
        if (call !== undefined) delete call.waitsFor;
        return call;
      }
      default:
    }
  }

  function noteStreaming(event: RunEvent): void {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start':
        streaming.add(event.id);
        return;
      case 'text-end':
      case 'reasoning-end':
        streaming.delete(event.id);
        return;
      case 'tool-input-start':
        streaming.add(event.toolCallId);
        return;
      case 'tool-input-end':
        streaming.delete(event.toolCallId);
        return;
      case 'step-start':
      case 'step-end':
      case 'retry':
        streaming.clear();
        return;
      default:
    }
  }

  /** Returns whether an agent, or the run, waits: it has asked, and no call can continue without the answer. */
  function stillnessOf(path: string, answered: ReadonlySet<string>): IdleState {
    let asks = false;
    let soon = false;
    for (const { waitsFor, agent, started } of works.get(path)?.values() ?? []) {
      if (waitsFor !== undefined && answered.has(waitsFor)) return 'busy';
      if (waitsFor !== undefined) asks = true;
      else if (agent !== undefined) {
        const inside = stillnessOf(agent, answered);
        if (inside === 'busy') return 'busy';
        asks = true;
        soon ||= inside === 'soon';
      } else if (started) return 'busy';
      else soon = true;
    }
    if (!asks) return 'busy';
    return soon ? 'soon' : 'waiting';
  }

  return {
    apply,
    stillness: (answered) => (streaming.size > 0 ? 'busy' : stillnessOf('', answered)),
    own: () => [...callsOf('').values()],
    asking: () =>
      [...works.values()].flatMap((calls) =>
        [...calls.values()].filter(({ waitsFor }) => waitsFor !== undefined),
      ),
  };
}
