import '../../zod-without-eval.ts';
import * as inspect from '@cueline/core/inspect';
import * as library from '@cueline/core/library';
import * as plugins from '@cueline/core/plugins';
import * as testing from '@cueline/core/testing';
import * as z from 'zod';
import { relayConsole } from './console.ts';
import { agentsModule, coreModule } from './core-module.ts';
import { createRuntime } from './runtime.ts';
import { tidyScope } from './scope.ts';

type Scope = {
  postMessage(message: string | number): void;
  addEventListener(
    type: string,
    listener: (event: MessageEvent & ErrorEvent & PromiseRejectionEvent) => void,
  ): void;
};
const scope = globalThis as unknown as Scope;

const runtime = createRuntime({
  post: scope.postMessage.bind(scope),
  modules: (model, watcher) => {
    const agents = agentsModule(model, watcher);
    return {
      zod: z,
      // links of version 1 also import agents and sessions from here
      '@cueline/core': { ...agents, ...coreModule(model, watcher) },
      '@cueline/core/agents': agents,
      '@cueline/core/inspect': inspect,
      '@cueline/core/library': library,
      '@cueline/core/plugins': plugins,
      '@cueline/core/testing': testing,
    };
  },
});

// A script's stack frame is often far below those of the schema or the SDK that threw.
(Error as { stackTraceLimit?: number }).stackTraceLimit = 50;
tidyScope(scope);
relayConsole(runtime.send);

scope.addEventListener('message', (event) => runtime.receive(event.data));
scope.addEventListener('error', (event) => {
  event.preventDefault();
  runtime.uncaught(event.error ?? event.message);
});
scope.addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  runtime.uncaught(event.reason);
});
runtime.send({ type: 'ready' });
