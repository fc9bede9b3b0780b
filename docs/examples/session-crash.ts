import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import * as z from 'zod';

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'cueline-crash-'));
const isFirstLife = process.argv[2] !== undefined;
const ledger = join(folder, 'ledger.txt');
const readLedger = (): string[] =>
  existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n') : [];

const charge = (name: string) => ({ toolCall: { name: 'charge', input: { name } } });
const model = scriptedModel(
  isFirstLife
    ? [[charge('Ada')], [charge('Ben')]]
    : [
        // its last call was interrupted, so it checks before it continues
        [{ toolCall: { name: 'charged', input: {} } }],
        [charge('Cyd')],
        [{ toolCall: { name: 'task_complete', input: { summary: 'All three are charged.' } } }],
      ],
);

// #region store
const file = join(folder, 'invoices.json'); // yours: a database, an endpoint

async function save(messages: ModelMessage[]): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(messages));
  await rename(`${file}.new`, file); // the old ones or the new ones, and never half of them
}

async function load(): Promise<ModelMessage[]> {
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as ModelMessage[]) : [];
}
// #endregion

if (!isFirstLife) {
  const options = ['--conditions=@cueline/source', import.meta.filename, folder];
  const { signal } = spawnSync(process.execPath, options, { stdio: 'inherit' });
  console.log(`The first process ended with ${signal}; charged: ${readLedger().join(', ')}`);
}

// #region work
const result = await runAgentSession(model, {
  sessionId: 'invoices',
  systemPrompt: 'You charge customers.',
  initialMessage: 'Charge Ada, Ben and Cyd.',
  initialMessages: await load(), // none at first: then it begins with the message above
  tools: {
    charge: {
      description: 'Charges a customer',
      inputSchema: z.object({ name: z.string() }),
      execute: async ({ name }) => {
        appendFileSync(ledger, `${name}\n`);
        if (name === 'Ben') process.kill(process.pid, 'SIGKILL'); // charged, and not recorded
        return 'charged';
      },
    },
    charged: {
      description: 'Who is charged already',
      inputSchema: z.object({}),
      execute: async () => readLedger(),
    },
  },
  callbacks: { onMessagesUpdate: (_id, messages) => save(messages) },
});
console.log(`${result.completionReason}, charged: ${readLedger().join(', ')}`);
// #endregion

for (const { role, content } of model.calls[0]?.prompt ?? []) {
  if (role !== 'tool') continue;
  for (const part of content) {
    if (part.type === 'tool-result' && 'value' in part.output) console.log('it was told:', part.output.value);
  }
}
rmSync(folder, { recursive: true });
// prints: it was told: charged
// prints: it was told: This call was interrupted before its end.
// prints: The first process ended with SIGKILL; charged: Ada, Ben
// prints: task_complete, charged: Ada, Ben, Cyd
