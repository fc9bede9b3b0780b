import { reduceAll, runPrompt } from '@cueline/core';
import { toUIMessageStream } from '@cueline/core/ai-sdk';
import { decodeLink, encodeLink } from '@cueline/core/link';
import { scriptedModel } from '@cueline/core/testing';
import { readUIMessageStream } from 'ai';

const { run } = await runPrompt((prompt) => prompt.$`Say hello.`, { model: scriptedModel(['Hello!']) });
await run.finished;

// #region link
const link = encodeLink({ log: run.log() }); // '#v1.r.…': goes behind any address
const replayed = reduceAll(decodeLink(link).log ?? []);
console.log(replayed.text === run.getState().text);
// #endregion

// #region ui
const stream = toUIMessageStream(run.log());
for await (const message of readUIMessageStream({ stream })) console.log(message.role, message.parts.length);
// #endregion
// prints: true
// prints: assistant 2
