import { tool } from '@cueline/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { call, go, play } from '../support.ts';

test('a tool that changes its arguments changes neither the log nor later requests', async () => {
  const input = { path: 'a', lines: [{ n: 1 }] };
  const { model, state } = await play(
    go((prompt) => {
      const schema = { type: 'object', properties: { path: { type: 'string' } } };
      prompt.defTool('edit', '', schema, (args) => {
        const given = args as { path: string; lines: { n: number }[] };
        given.path = 'b';
        given.lines[0]!.n = 2;
        return given;
      });
    }),
    [[call('edit', input)], 'Done.'],
  );
  expect(sent(model)[1]!.messages.slice(1)).toEqual([
    'assistant calls edit {"path":"a","lines":[{"n":1}]}',
    'edit answers {"path":"b","lines":[{"n":2}]}',
  ]);
  expect(state.toolCalls[0]!.input).toEqual(input);
});

test('a tool function is called with its arguments and the documented context, and nothing else', async () => {
  const given: unknown[][] = [];
  await play(
    go((prompt) => {
      const note = (...all: unknown[]): string => String(given.push(all));
      prompt.defTool('plain', '', z.object({}), note);
      prompt.defTool('watched', '', z.object({}), note, {
        onSuccess: (...all) => void given.push(all.slice(1)),
      });
      prompt.defTool('both', '', [tool('part', '', z.object({}), note)]);
    }),
    [[call('plain'), call('watched'), call('both', { calls: [{ name: 'part', args: {} }] })], 'Done.'],
  );
  expect(given.map(({ length }) => length)).toEqual([2, 2, 2, 2]);
});

test('the output of its schema reaches the tool unchanged', async () => {
  class Money {
    readonly cents: number;
    constructor(cents: number) {
      this.cents = cents;
    }
    shown(): string {
      return `${this.cents / 100} euros`;
    }
  }
  const { state } = await play(
    go((prompt) => {
      const schema = z.object({
        price: z.number().transform((cents) => new Money(cents)),
        at: z.string().transform((text) => new Date(text)),
      });
      prompt.defTool('pay', '', schema, ({ price, at }) => `${price.shown()} in ${at.getUTCFullYear()}`);
    }),
    [[call('pay', { price: 250, at: '2026-01-01' })], 'Done.'],
  );
  expect(state.toolCalls[0]!.output).toBe('2.5 euros in 2026');
});
