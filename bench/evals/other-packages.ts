import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { printTable } from '../table.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
/** Outside the workspace: it does not depend on these packages, and they would find its settings. */
const outside = join(tmpdir(), 'cueline-bench-others');

/** The size of an evaluation. Each package runs it in a process of its own. */
export type Workload = { cases: number; repeat: number; latency: number; concurrency: number };

type Measured = { ms: number; most: number; resident: number | undefined };

/** Prints the time and memory of runEval, promptfoo and evalite for the same work. */
export async function benchBesideOthers(workload: Workload): Promise<void> {
  const { cases, repeat, latency, concurrency } = workload;
  const ideal = (cases * repeat * latency) / concurrency;
  const ours = await measure(workload, here, ['--conditions=@cueline/source', 'run-eval-process.ts']);
  const others: [string, Measured][] = [
    // its optional packages take two gigabytes, and this bench uses none of them
    ['promptfoo 0.123.1', await measureOther(workload, 'promptfoo', ['--omit=optional'])],
    ['evalite 0.19.0', await measureOther(workload, 'evalite')],
  ];
  const row = (name: string, { ms, most, resident }: Measured): string[] => [
    name,
    (ms / 1_000).toFixed(1),
    `×${(ms / ideal).toFixed(2)}`,
    String(most),
    resident === undefined ? '–' : (resident / 1e6).toFixed(0),
    resident === undefined || ours.resident === undefined ? '–' : `×${(resident / ours.resident).toFixed(2)}`,
  ];
  printTable(`${cases} cases × ${repeat}, ${latency} ms each, allowed ${concurrency} at the same time`, [
    ['', 'seconds', 'to the ideal', 'most at once', 'MB', 'MB to runEval'],
    row('runEval', ours),
    ...others.map(([name, measured]) => row(name, measured)),
  ]);
}

/** `name`: the folder and the file of the package. `flags` are for `npm install`. */
function measureOther(workload: Workload, name: string, flags: readonly string[] = []): Promise<Measured> {
  const folder = join(outside, name);
  install(folder, join(here, 'others', name), flags);
  return measure(workload, folder, [`${name}.mjs`]);
}

/** Installs a package once. These packages are large, so nothing else of the workspace has them. */
function install(folder: string, source: string, flags: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  const changed =
    !existsSync(join(folder, 'node_modules')) ||
    readFileSync(join(folder, 'package.json'), 'utf8') !== readFileSync(join(source, 'package.json'), 'utf8');
  cpSync(source, folder, { recursive: true });
  if (!changed) return;
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...flags];
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
}

async function measure(workload: Workload, cwd: string, args: readonly string[]): Promise<Measured> {
  const { cases, repeat, latency, concurrency } = workload;
  const child = spawn(process.execPath, args, {
    cwd,
    env: {
      ...process.env,
      SIZE: [cases, repeat, latency, concurrency].join(' '),
      PROMPTFOO_CONFIG_DIR: join(outside, '.promptfoo'),
      PROMPTFOO_DISABLE_TELEMETRY: '1',
      PROMPTFOO_DISABLE_UPDATE: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  let resident = 0;
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  const timer = setInterval(() => (resident = Math.max(resident, residentOf(child.pid!))), 100);
  const code = await new Promise((resolve) => child.on('close', resolve));
  clearInterval(timer);
  const last = output.trim().split('\n').at(-1) ?? '';
  if (code !== 0 || !last.startsWith('{')) throw new Error(`${args.join(' ')} failed:\n${output}`);
  const { ms, passed, most } = JSON.parse(last) as { ms: number; passed: number; most: number };
  if (passed !== cases * repeat)
    throw new Error(`${args.join(' ')}: ${passed} of ${cases * repeat} runs passed.`);
  return { ms, most, resident: resident === 0 ? undefined : resident };
}

/** The resident memory of a process and of those that it started, in bytes; 0 if the system has no /proc. */
function residentOf(pid: number): number {
  try {
    const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + residentOf(Number(child)), Number(pages) * 4_096);
  } catch {
    return 0;
  }
}
