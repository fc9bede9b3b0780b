import { describeRuntime } from './conformance.ts';
import { runtimes } from './runtime.ts';

describeRuntime(runtimes.deno);
