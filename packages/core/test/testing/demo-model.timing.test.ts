import { expect, test } from 'vitest';
import { startCpuTime } from '../support/cpu-time.ts';
import { ask } from './ask-demo-model.ts';

test('demoModel takes time in proportion to its instructions, even for tags that are never closed, or dashes', async () => {
  const time = async (instructions: string): Promise<number> => {
    const tries: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const cpuTime = startCpuTime();
      await ask({ instructions, prompt: 'Hi' });
      tries.push(cpuTime());
    }
    return Math.min(...tries);
  };
  const open = (count: number): string => Array.from({ length: count }, (_, i) => `<V${i}>`).join('');
  const dashes = (count: number): string => `<A>${'-'.repeat(count)}</A>`;
  for (const made of [open, dashes]) {
    // what looks through all of it at each place makes it 100 and more
    expect((await time(made(100_000))) / (await time(made(10_000)))).toBeLessThan(40);
  }
});
