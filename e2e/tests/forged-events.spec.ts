import { expect, scriptWithTool, test } from './sandbox-support.ts';

const good = scriptWithTool("return { answer: 'forty-two' };");

/** A script whose worker claims these events, whatever the script does; `events` is code. */
function forging(events: string): string {
  return `const start = { type: 'run-start', t: 0, v: 2, runId: 'r', model: 'm', messages: [], messageId: 'a' };
    const step = { type: 'step-start', t: 0, step: 0, request: { keep: 0, messages: [], model: 'm' } };
    const end = { type: 'run-end', t: 1, outcome: 'done' };
    const many = (count: number, make: (i: number) => object) => Array.from({ length: count }, (_, i) => ({ t: 0, ...make(i) }));
    const events = [start, step, ...(${events}), end];
    let sent = false;
    (Object.prototype as any).toJSON = function () {
      if (this.type !== 'events') return this;
      const all = sent ? [] : events;
      sent = true;
      return { type: 'events', events: all };
    };
    export default (prompt: any) => { prompt.$\`Hi\`; };`;
}

const cases: [name: string, script: string, status: 'done' | 'error', says: string | undefined][] = [
  [
    'forged variables at their limit',
    forging("many(20_000, (i) => ({ type: 'variable-set', name: 'V' + i, kind: 'text', value: 'x' }))"),
    'done',
    undefined,
  ],
  [
    '20,001 definitions',
    "export default (prompt: any) => { for (let i = 0; i < 20_001; i++) prompt.def('V' + i, 'x'); prompt.$`Hi`; };",
    'error',
    'more than 20,000 variables',
  ],
  [
    'an error of 7 MB',
    "throw new Error('x'.repeat(7_000_000));\nexport default () => {};",
    'error',
    undefined,
  ],
  [
    'forged warnings at their limit',
    forging("many(1_000, () => ({ type: 'warning', message: 'w' }))"),
    'done',
    undefined,
  ],
  [
    'forged warnings over their limit',
    forging("many(1_001, () => ({ type: 'warning', message: 'w' }))"),
    'error',
    'more than 1,000 warnings',
  ],
  [
    'forged tool calls over their limit',
    forging(
      "many(20_000, (i) => ({ type: 'tool-input-end', toolCallId: 'c' + i, toolName: 't', input: {} }))",
    ),
    'error',
    'more than 1,000 tool calls',
  ],
  [
    'a forged text of 180,000 blocks',
    forging(
      "[{ type: 'text-start', t: 0, id: '1' }, { type: 'text-delta', t: 0, id: '1', text: 'a\\n\\n'.repeat(180_000) }]",
    ),
    'done',
    undefined,
  ],
];

/** Similar to other cases here and in limits.spec.ts. */
const alike = new Set([
  'forged variables at their limit',
  'forged warnings at their limit',
  'forged warnings over their limit',
  'forged tool calls over their limit',
]);

// one after another in one page, which shows that the page was not blocked
for (const [title, isSimilar] of [
  ['the page keeps responding to scripts that send too much', false],
  ['the page keeps responding to similar scripts', true],
] as const) {
  test(title, { tag: '@long' }, async ({ page, playground }) => {
    await playground.open(good);
    await playground.editorReady();
    for (const [name, script, status, says] of cases.filter(([name]) => alike.has(name) === isSimilar)) {
      await test.step(name, async () => {
        await playground.replace(script);
        await playground.run();
        await playground.ended(status);
        if (says !== undefined) await expect(page.getByTestId('run-error')).toContainText(says);
        const pause = await playground.longestPause();
        test
          .info()
          .annotations.push({ type: `longest pause, ${name}`, description: `${pause.toFixed(0)} ms` });
        // about 100 ms on an idle machine; other pages use the same cores. A page that took in all of it would stay blocked
        expect(pause).toBeLessThan(2_500);
        await playground.replace(good);
        await playground.run();
        await playground.ended('done');
        await expect(page.locator('[data-tool=go]')).toBeVisible();
      });
    }
  });
}
