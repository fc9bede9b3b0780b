import { LOG_VERSION, runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';

const { run } = await runPrompt((prompt) => prompt.$`Hi.`, { model: scriptedModel(['Hello.']) });
await run.finished;
const [first] = run.log();
console.log(first?.type === 'run-start' && first.v === LOG_VERSION);
// prints: true
