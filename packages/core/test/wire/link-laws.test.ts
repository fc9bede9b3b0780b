import { decodeLink, decodeLog, encodeLink, encodeLog, LINK_BYTES } from '@cueline/core/link';
import fc from 'fast-check';
import { deflateSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { anyLog, inLog, runStart } from '../log/any-events.ts';
import { json, play } from '../support.ts';
import { thrownCode } from '../support/refusal.ts';
import { sample } from '../support/sample.ts';

const log = play(
  (prompt) => {
    prompt.defTool('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b);
    prompt.$`What is 2 + 2? Ünïcödé: 漢字 🙂`;
  },
  [[{ reasoning: 'Easy.' }, { toolCall: { name: 'add', input: { a: 2, b: 2 } } }], '4'],
);

describe('links', () => {
  test('carry any script, letter for letter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (script) => {
        const link = encodeLink({ script });
        expect(link).toMatch(/^#v1\.s\.[\w-]*\.[\w-]+$/);
        // lone surrogates have no UTF-8 form; a file cannot hold them either
        expect(decodeLink(link).script).toBe(new TextDecoder().decode(new TextEncoder().encode(script)));
      }),
      { numRuns: sample(100) },
    );
  });

  test('carry a whole run', async () => {
    const { events } = await log;
    const link = encodeLink({ script: 'export default 1', log: events });
    expect(link).toMatch(/^#v1\.sr\./);
    expect(decodeLink(link)).toEqual({ script: 'export default 1', log: json(events) });
  });

  test('carry prompts and an evaluation as JSON that their reader checks', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (prompts, evaluation) => {
        const link = encodeLink({ prompts, evaluation });
        expect(link).toMatch(/^#v1\.pe\./);
        expect(decodeLink(link)).toEqual(json({ prompts, evaluation }));
      }),
      { numRuns: sample(100) },
    );
  });

  test('carry any log, with any texts', () => {
    fc.assert(
      fc.property(anyLog, (events) => {
        expect(decodeLink(encodeLink({ log: events }))).toEqual({ log: json(events) });
        expect(decodeLog(encodeLog(events))).toEqual(json(events));
      }),
      { numRuns: sample(100) },
    );
  });

  test('are reported as cut off wherever they were cut', () => {
    const link = encodeLink({ script: 'export default async (prompt) => { prompt.$`Hello`; }' });
    for (let length = 3; length < link.length; length++) {
      expect(thrownCode(() => decodeLink(link.slice(0, length)))).toBe('link_cut_off');
    }
  });

  test('are refused if a letter was changed', () => {
    const link = encodeLink({ script: 'export default async (prompt) => { prompt.$`Hello`; }' });
    for (let index = 7; index < link.lastIndexOf('.'); index++) {
      const other = link[index] === 'A' ? 'B' : 'A';
      expect(thrownCode(() => decodeLink(link.slice(0, index) + other + link.slice(index + 1)))).toBe(
        'link_cut_off',
      );
    }
  });

  test.each([null, '#about', '#', '', '#code/MYewdg', '#v2.s.AAAA.4-1', '#v1.s.!!!!.4-zz'])(
    'are refused if they were not made by Cueline: %s',
    (hash) => {
      expect(['link_foreign', 'link_cut_off']).toContain(thrownCode(() => decodeLink(hash)));
    },
  );

  test('are refused before they inflate without end', () => {
    const bomb = deflateSync(new Uint8Array(20 * LINK_BYTES).fill(32), { level: 1 });
    const body = Buffer.from(bomb).toString('base64url');
    let sum = 0x811c9dc5;
    for (const char of body) sum = Math.imul(sum ^ char.charCodeAt(0), 0x01000193);
    const hash = `#v1.s.${body}.${body.length.toString(36)}-${(sum >>> 0).toString(36)}`;
    expect(thrownCode(() => decodeLink(hash))).toBe('too_large');
  });

  test('are refused when they would carry too much', () => {
    expect(thrownCode(() => encodeLink({ script: 'x'.repeat(LINK_BYTES + 1) }))).toBe('too_large');
    expect(thrownCode(() => encodeLink({}))).toBe('invalid_options');
  });
});

describe('stored logs', () => {
  test('have events as large as those of any run, which a link may not have', () => {
    const url = `data:application/pdf;base64,${'A'.repeat(9_000_000)}`;
    const file = { type: 'file', mediaType: 'application/pdf', url } as const;
    const large = inLog([
      { ...runStart, messages: [{ id: 'u', role: 'user', parts: [file] }] },
      { type: 'tool-error', toolCallId: 'c', error: 'x'.repeat(250_000) },
    ]);
    // comparing texts of this size takes long
    expect(JSON.stringify(decodeLog(encodeLog(large)))).toBe(JSON.stringify(large));
    const [, error] = large;
    expect(() => decodeLink(encodeLink({ log: [{ ...error!, seq: 0 }] }))).toThrow(
      'a message of more than 200,000 characters',
    );
    const endless = inLog([{ type: 'warning', message: 'x'.repeat(17_000_001) }]);
    expect(thrownCode(() => decodeLog(encodeLog(endless)))).toBe('too_large');
  });

  test.each([
    '',
    '{}',
    '[]',
    '{"v":3,"events":[]}',
    '{"v":1,"events":[{"seq":1,"type":"x"}]}',
    '{"v":1,"events":[1]}',
  ])('are refused if they are invalid: %s', (text) => {
    expect(thrownCode(() => decodeLog(text))).toBe('link_foreign');
  });

  test.each<[string, (events: object[]) => object[], RegExp]>([
    [
      'a later version',
      (events) => [{ ...events[0], v: 9 }, ...events.slice(1)],
      /newer Cueline: it has version 9, and/,
    ],
    [
      'a later type of event',
      (events) => [events[0]!, { type: 'thought', seq: 1, t: 0 }, ...events.slice(2)],
      /newer Cueline: it has events of an unknown type, and this page reads versions 1 to/,
    ],
  ])('a log with %s is not called damaged', async (_what, change, message) => {
    const events = change((await log).events as object[]) as never;
    for (const read of [() => decodeLog(encodeLog(events)), () => decodeLink(encodeLink({ log: events }))]) {
      expect(read).toThrow(message);
      expect(thrownCode(read)).toBe('link_foreign');
    }
    expect(() => decodeLog(JSON.stringify({ v: 9, events: [] }))).toThrow('newer Cueline: it has version 9');
  });
});
