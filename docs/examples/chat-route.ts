import { definePrompt, runPrompt } from '@cueline/core';
import { PromptTransport, type ChatCall, toUIMessageStream } from '@cueline/core/ai-sdk';
import { scriptedModel } from '@cueline/core/testing';
import { createUIMessageStreamResponse, type UIMessage } from 'ai';

const model = scriptedModel(['Hello, Ada.', 'Good day, Ada.']);
const assistant = definePrompt('assistant', (prompt) => {
  prompt.defSystem('role', 'You greet people.');
});

// #region one
async function answer({ messages }: { messages: UIMessage[] }): Promise<Response> {
  const { run } = await runPrompt(assistant, { model, messages });
  return createUIMessageStreamResponse({ stream: toUIMessageStream(run.events()) });
}
// #endregion

// #region chat
const chats = new PromptTransport(assistant, { model });

type Post = Pick<ChatCall, 'trigger'> & { id: string; messages: UIMessage[]; messageId?: string };

async function chat(request: Request): Promise<Response> {
  const { id: chatId, trigger, messages, messageId } = (await request.json()) as Post;
  const abortSignal = request.signal;
  const stream = await chats.sendMessages({ chatId, trigger, messages, messageId, abortSignal });
  return createUIMessageStreamResponse({ stream });
}
// #endregion

const said: UIMessage = { id: '1', role: 'user', parts: [{ type: 'text', text: 'I am Ada.' }] };
console.log((await (await answer({ messages: [said] })).text()).includes('Hello, Ada.'));
const post = { id: 'chat-1', trigger: 'submit-message', messages: [said] };
const request = new Request('https://example.com/chat', { method: 'POST', body: JSON.stringify(post) });
console.log(await (await chat(request)).text());
// prints: true
// prints: "delta":"Good day, Ada."
