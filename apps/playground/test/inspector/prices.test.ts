import { expect, test } from 'vitest';
import { costOfUsage, loadPrice } from '../../src/inspector/step/prices.ts';
import { formatCost } from '../../src/ui/format.ts';

test('known models of a provider have a list price, and so do their dated versions', async () => {
  const price = await loadPrice('openai.responses:gpt-5-mini');
  expect(price?.output).toBeGreaterThan(price!.input);
  expect(await loadPrice('openai.chat:gpt-5-mini-2025-08-07')).toEqual(price);
});

test('there is no price for other servers, unknown models and names of Object’s own properties', async () => {
  for (const model of [
    'custom:gpt-5-mini',
    'openai:none',
    'simulated:demo',
    'openai:constructor',
    'toString:x',
    '',
  ]) {
    expect(await loadPrice(model), model).toBeUndefined();
  }
});

test('tokens that a cache gives or takes cost their own price', async () => {
  const price = { input: 2, output: 8, cachedInput: 0.5, cacheWrite: 2.5 };
  const usage = {
    input: 1_000_000,
    cached: 400_000,
    written: 200_000,
    output: 500_000,
    reasoning: undefined,
  };
  expect(costOfUsage(usage, price)).toBeCloseTo(0.8 + 0.2 + 0.5 + 4);
  expect(costOfUsage({ ...usage, output: undefined }, price)).toBeUndefined();
  const anthropic = await loadPrice('anthropic.messages:claude-3-7-sonnet-20250219');
  expect(anthropic?.cacheWrite).toBeGreaterThan(anthropic!.input);
});

test('small costs keep two significant digits', () => {
  expect([0, 0.000_123, 0.004_56, 1.5, 0.000_000_001].map(formatCost)).toEqual([
    '$0',
    '$0.00012',
    '$0.0046',
    '$1.50',
    '$0',
  ]);
});
