import type { TestProject } from 'vitest/node';
import { connectionFaults } from '../connection-faults.ts';
import type { Outcome } from '../fault.ts';
import { startFaultServer } from '../provider.ts';
import { statusFaults } from '../status-faults.ts';
import { streamFaults } from '../stream-faults.ts';

/** A fault that a page can have: its provider's address, and how the run ends. */
export type PageFault = Outcome & { name: string; step: 'call' | 'answer'; baseURL: string };

/** The share of the faults that are tested: 4 means every fourth. */
export type EveryFault = number;

declare module 'vitest' {
  interface ProvidedContext {
    everyFault: EveryFault;
    pageFaults: PageFault[];
    /** The same server for a page that it does not allow. */
    withoutCors: string;
    /** An address without a server. */
    refused: string;
  }
}

/** Faults that browsers handle themselves: connections, redirects, and bodies that break off. */
const faults = [
  // a connection that breaks before an answer, Chromium may try again itself, so that no tries can be counted
  ...connectionFaults.filter(({ name }) => !/^resets (once|twice)/.test(name)),
  ...statusFaults.filter(
    ({ ends, name }) => ends === 'redirect_blocked' || /^(204|304|429 once|503)/.test(name),
  ),
  ...streamFaults.filter(({ ends }) => ends === 'stream_truncated' || ends === 'timeout'),
].filter(({ only }) => only?.wire !== 'responses');

/** Faults with another outcome in Chromium than in Node. */
const inChromium: Record<string, Outcome> = {
  'answers with something that is not HTTP': { ends: 'network', attempts: 3 },
};

/** Starts the fault server for a page, which cannot start it itself. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const server = await startFaultServer({ allowsPages: true });
  const strict = await startFaultServer();
  const gone = await startFaultServer();
  provide(
    'pageFaults',
    faults.map(({ name, play, only, details, ...fault }) => {
      const { ends, attempts } = { ...fault, ...inChromium[name] };
      const step = only?.step ?? 'answer';
      const { baseURL } = server.provider('chat', step, play);
      const outcome = { ends, ...(attempts && { attempts }), ...(details && { details }) };
      return { name, step, baseURL, ...outcome };
    }),
  );
  const good = (): void => {};
  provide('withoutCors', strict.provider('chat', 'call', good).baseURL);
  provide('refused', gone.provider('chat', 'call', good).baseURL);
  await gone[Symbol.asyncDispose]();
  return async () => {
    await server[Symbol.asyncDispose]();
    await strict[Symbol.asyncDispose]();
  };
}
