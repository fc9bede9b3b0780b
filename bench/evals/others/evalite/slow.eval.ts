import { writeFileSync } from 'node:fs';
import { evalite } from 'evalite';

const [cases, , latency] = (process.env.SIZE ?? '').split(' ').map(Number);
let running = 0;
/** The most tasks at the same time. They run in another process than the one that reports. */
let most = 0;

evalite('slow', {
  data: () => Array.from({ length: cases! }, (_, n) => ({ input: { n }, expected: 'done' })),
  task: async () => {
    running += 1;
    if (running > most) writeFileSync('most.txt', String((most = running)));
    await new Promise((resolve) => setTimeout(resolve, latency));
    running -= 1;
    return 'done';
  },
  scorers: [{ name: 'equals', scorer: ({ output, expected }) => (output === expected ? 1 : 0) }],
});
