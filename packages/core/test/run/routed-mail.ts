import { definePrompt, createRun, viaRoute, type RouteOptions, type RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';
import { createHub, cutAfter, type HubOptions } from '../support/memory-route.ts';

const address = 'https://example.test/api/mail';

/** A run on a hub whose tool writes, and what that has written. */
export function setUp(hubOptions: HubOptions = {}, options: RouteOptions = {}) {
  const written: string[] = [];
  const mail = definePrompt('mail', (prompt, input: { to: string }) => {
    const send = ({ to }: { to: string }): string => {
      written.push(to);
      return 'sent';
    };
    prompt.defTool('send', 'Sends.', z.object({ to: z.string() }), send, { effect: 'external' });
    prompt.$`Write to ${input.to}.`;
  });
  const call = (to: string) => [{ toolCall: { name: 'send', input: { to } } }];
  const model = scriptedModel([call('ada'), call('ben'), 'Both are sent.']);
  const hub = createHub(mail, { model, ...hubOptions });
  const executor = viaRoute(address, { fetch: hub.fetch, retryDelay: () => 0, retries: 1, ...options });
  return { hub, model, written, mail, executor, run: createRun(mail, { executor }) };
}

/** How many ends a log has. */
export const ended = (log: readonly RunEvent[]) => log.filter(({ type }) => type === 'run-end').length;

/** Cuts each of these connections after so many events. */
export const cut =
  (after: readonly number[]): NonNullable<HubOptions['tamper']> =>
  (body, connection) => {
    const events = after[connection];
    return events === undefined ? body : cutAfter(body, events);
  };
