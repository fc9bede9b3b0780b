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
  /** Paths of the agents that work on it: a tool's function may call several at once. */
  agents?: Set<string>;
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
  idleState(answered: ReadonlySet<string>): IdleState;
  /** The calls of the run itself. */
  own(): OpenCall[];
  /** The calls that wait for an answer, including those of agents. */
  asking(): OpenCall[];
};

export function createOpenCalls(): OpenCalls {
  return new Calls();
}

/** The calls of one log that have not ended, by agent. */
class Calls implements OpenCalls {
  /** By path of the agent (empty for the run), then by id. */
  readonly #works = new Map<string, Map<string, OpenCall>>();
  /** Texts and arguments that the run itself is streaming. */
  readonly #streaming = new Set<string>();

  apply(event: RunEvent): OpenCall | undefined {
    const path = event.agent ?? '';
    if (event.agent === undefined) this.#noteStreaming(event);
    switch (event.type) {
      case 'step-start':
      case 'step-end':
      case 'retry':
        this.#works.delete(path);
        return;
      case 'tool-input-start':
      case 'tool-input-end':
        // a call that the provider runs waits for nothing here
        if (event.providerExecuted === true) return;
        if (event.type === 'tool-input-end' && event.invalid !== undefined) {
          return this.#close(path, event.toolCallId);
        }
        return this.#open(path, event.toolCallId);
      case 'tool-start': {
        const call = this.#open(path, event.toolCallId);
        call.started = true;
        return call;
      }
      case 'tool-end':
      case 'tool-error':
        return this.#close(path, event.toolCallId);
      case 'agent-start': {
        const call = this.#open(parentOf(path), event.toolCallId);
        (call.agents ??= new Set()).add(path);
        this.#works.set(path, new Map());
        return;
      }
      case 'agent-end':
        this.#works.delete(path);
        for (const { agents } of this.#callsOf(parentOf(path)).values()) agents?.delete(path);
        return;
      case 'approval-request': {
        const call = this.#open(path, event.toolCallId);
        call.waitsFor = event.approvalId;
        if (event.providerExecuted === true) call.providerExecuted = true;
        return call;
      }
      case 'client-tool-request': {
        const call = this.#open(path, event.toolCallId);
        call.waitsFor = event.clientCallId;
        return call;
      }
      case 'approval-response':
      case 'approval-withdraw': {
        const call = this.#callWaitingFor(path, event.approvalId);
        if (call === undefined) return;
        delete call.waitsFor;
        // its result is another call of the next step
        if (call.providerExecuted === true) this.#close(path, call.toolCallId);
        call.refused = event.type === 'approval-response' && !event.response.approved;
        return call;
      }
      case 'client-tool-response':
      case 'client-tool-withdraw': {
        const call = this.#callWaitingFor(path, event.clientCallId);
        if (call !== undefined) delete call.waitsFor;
        return call;
      }
      default:
    }
  }

  idleState(answered: ReadonlySet<string>): IdleState {
    return this.#streaming.size > 0 ? 'busy' : this.#idleStateOf('', answered);
  }

  own(): OpenCall[] {
    return [...this.#callsOf('').values()];
  }

  asking(): OpenCall[] {
    return [...this.#works.values()].flatMap((calls) =>
      [...calls.values()].filter(({ waitsFor }) => waitsFor !== undefined),
    );
  }

  #callsOf(path: string): Map<string, OpenCall> {
    const calls = this.#works.get(path) ?? new Map<string, OpenCall>();
    this.#works.set(path, calls);
    return calls;
  }

  #open(path: string, toolCallId: string): OpenCall {
    const calls = this.#callsOf(path);
    const call = calls.get(toolCallId) ?? { toolCallId, started: false };
    calls.set(toolCallId, call);
    return call;
  }

  #close(path: string, toolCallId: string): OpenCall | undefined {
    const call = this.#works.get(path)?.get(toolCallId);
    this.#works.get(path)?.delete(toolCallId);
    return call;
  }

  #callWaitingFor(path: string, id: string): OpenCall | undefined {
    for (const call of this.#callsOf(path).values()) if (call.waitsFor === id) return call;
  }

  #noteStreaming(event: RunEvent): void {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#streaming.add(event.id);
        return;
      case 'text-end':
      case 'reasoning-end':
        this.#streaming.delete(event.id);
        return;
      case 'tool-input-start':
        this.#streaming.add(event.toolCallId);
        return;
      case 'tool-input-end':
        this.#streaming.delete(event.toolCallId);
        return;
      case 'step-start':
      case 'step-end':
      case 'retry':
        this.#streaming.clear();
        return;
      default:
    }
  }

  /** Returns whether an agent, or the run, waits: it has asked, and no call can continue without the answer. */
  #idleStateOf(path: string, answered: ReadonlySet<string>): IdleState {
    let asks = false;
    let soon = false;
    for (const { waitsFor, agents, started } of this.#works.get(path)?.values() ?? []) {
      if (waitsFor !== undefined && answered.has(waitsFor)) return 'busy';
      if (waitsFor !== undefined) asks = true;
      else if (agents !== undefined && agents.size > 0) {
        for (const agent of agents) {
          const inside = this.#idleStateOf(agent, answered);
          if (inside === 'busy') return 'busy';
          soon ||= inside === 'soon';
        }
        asks = true;
      } else if (started) return 'busy';
      else soon = true;
    }
    if (!asks) return 'busy';
    return soon ? 'soon' : 'waiting';
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
