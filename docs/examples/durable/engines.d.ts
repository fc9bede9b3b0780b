// oxlint-disable typescript/no-unnecessary-type-parameters -- as in the originals
// What the recipes use of SDKs that are too large to install for them.
declare module '@temporalio/workflow' {
  type Signal = { readonly name: string };
  export function defineSignal(name: string): Signal;
  export function setHandler(signal: Signal, handler: () => void): void;
  export function condition(isTrue: () => boolean): Promise<void>;
  export function workflowInfo(): { continueAsNewSuggested: boolean };
  export function continueAsNew<Workflow extends (...args: never[]) => Promise<unknown>>(
    ...args: Parameters<Workflow>
  ): Promise<never>;
  export function proxyActivities<Activities>(options: {
    startToCloseTimeout: string;
    heartbeatTimeout: string;
    retry: { maximumInterval: string };
  }): Activities;
}

declare module '@temporalio/client' {
  export type Client = {
    workflow: {
      signalWithStart<Args extends unknown[]>(
        workflow: (...args: Args) => Promise<unknown>,
        options: { workflowId: string; taskQueue: string; args: Args; signal: { readonly name: string } },
      ): Promise<unknown>;
    };
  };
}

declare module 'workflow' {
  export function createHook<Payload>(options: { token: string }): AsyncIterable<Payload>;
}

declare module 'workflow/api' {
  export function start<Args extends unknown[]>(
    workflow: (...args: Args) => Promise<unknown>,
    args: Args,
  ): Promise<unknown>;
  export function resumeHook(token: string, payload: unknown): Promise<unknown>;
}

declare module 'cloudflare:workers' {
  export abstract class WorkflowEntrypoint<Env, Params> {
    readonly env: Env;
    abstract run(event: { payload: Params }, step: WorkflowStep): Promise<unknown>;
  }
  export type WorkflowStep = {
    do<Value>(
      name: string,
      config: {
        retries: { limit: number; delay: string; backoff: 'constant' | 'linear' | 'exponential' };
        timeout: string;
      },
      callback: () => Promise<Value>,
    ): Promise<Value>;
    waitForEvent(name: string, options: { type: string; timeout: string }): Promise<unknown>;
  };
  export type WorkflowBinding<Params> = {
    create(options: { id: string; params: Params }): Promise<unknown>;
    get(id: string): Promise<{ sendEvent(event: { type: string; payload: unknown }): Promise<void> }>;
  };
}
