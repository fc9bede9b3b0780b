// pnpm bench [core|react|edge|evals|durable|playground]: what Cueline costs, as ratios to the same work without it.
// Numbers never fail it; a run that does not deliver its whole text does.
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import process from 'node:process';
import { ensureBrowser } from '../scripts/browser.mjs';
import { benchCore } from './core/bench.ts';
import { benchDurable } from './durable/bench.ts';
import { benchEdge } from './edge/bench.ts';
import { benchEvals } from './evals/bench.ts';
import { benchPlayground } from './playground/bench.ts';
import { benchReact } from './react/bench.ts';

const [only] = process.argv.slice(2);
const parts = only === undefined ? ['core', 'react', 'edge', 'evals', 'durable', 'playground'] : [only];
const executable = parts.includes('react') || parts.includes('playground') ? ensureBrowser() : undefined;
const browser =
  executable === undefined ? [] : [spawnSync(executable, ['--version'], { encoding: 'utf8' }).stdout.trim()];
console.log(
  [`${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`, `Node ${process.version}`, ...browser].join(
    ', ',
  ),
);

for (const part of parts) {
  if (part === 'core') await benchCore();
  else if (part === 'react') await benchReact(executable);
  else if (part === 'edge') await benchEdge();
  else if (part === 'evals') await benchEvals();
  else if (part === 'durable') await benchDurable();
  else if (part === 'playground') await benchPlayground(executable);
  else
    throw new Error(
      `There is no bench "${part}". Run "pnpm bench", "pnpm bench core", "pnpm bench react", "pnpm bench edge", "pnpm bench evals", "pnpm bench durable" or "pnpm bench playground".`,
    );
}
