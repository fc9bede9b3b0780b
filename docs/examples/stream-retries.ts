// prints: Half a sent
// prints: A whole sentence.
import { createRun, definePrompt } from '@cueline/core';
import { toUIMessageStream, withoutRetried, type PromptUIMessage } from '@cueline/core/ai-sdk';
import { scriptedModel } from '@cueline/core/testing';
import { readUIMessageStream } from 'ai';

const hello = definePrompt('hello', (prompt) => prompt.$`Say something.`);
const model = scriptedModel([['Half a sent', { error: { message: 'reset' } }], 'A whole sentence.']);
const run = createRun(hello, { model, options: { streamRetries: 1 } });
await run.start();

const messages: PromptUIMessage[] = [];
const stream = toUIMessageStream(run.log());
for await (const message of readUIMessageStream<PromptUIMessage>({ stream })) messages[0] = message;

const textsOf = (shown: PromptUIMessage[]): string[] =>
  shown.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : [])));

console.log(textsOf(messages)[0]); // the broken attempt
// #region shown
const shown = messages.map(withoutRetried);
// #endregion
console.log(textsOf(shown)[0]);
