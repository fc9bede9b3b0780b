import { CuelineError, tool, type Prompt, type PromptOptions } from '@cueline/core';
import { type UIMessage } from 'ai';
import * as z from 'zod';

export const city = z.object({ city: z.string() });

const cached = { anthropic: { cacheControl: { type: 'ephemeral' } } };

export const sayHi = (prompt: Prompt) => prompt.$`Hi.`;

export type Case = {
  define: (prompt: Prompt) => void;
  options?: PromptOptions;
  messages?: UIMessage[];
};

export const prompts: Record<string, Case> = {
  'a message alone': { define: sayHi },
  'variables, and options.system': {
    define(prompt) {
      const user = prompt.def('USER_NAME', 'Ada');
      prompt.defData('USER', { age: 36, likes: ['sums', 'engines'] });
      prompt.defSystem('role', 'You help.');
      prompt.$`Greet ${user}.`;
    },
    options: { system: 'Be short.', instructions: 'Be kind.' },
  },
  'named parts as XML': {
    define(prompt) {
      prompt.defSystem('role', 'You help.');
      prompt.defSystem('style', 'Be short.\nBe kind.');
      prompt.$`Hi.`;
    },
    options: { systemFormat: 'xml' },
  },
  'several system messages with provider options': {
    define(prompt) {
      prompt.def('USER_NAME', 'Ada');
      prompt.defSystem('handbook', 'A long text.', { providerOptions: cached });
      prompt.defSystem('role', 'You help.');
      prompt.$`Hi.`;
    },
    options: {
      instructions: [
        { role: 'system', content: 'Be short.' },
        { role: 'system', content: 'Be kind.', providerOptions: cached },
      ],
    },
  },
  'tools of every kind': {
    define(prompt) {
      prompt.defTool('getWeather', 'Weather', city, () => 'Sunny', {
        providerOptions: { openai: { strict: true } },
      });
      prompt.defTool('file', 'Files', [
        tool('read', 'Reads', z.object({ path: z.string() }), () => ''),
        tool('write', 'Writes', z.object({ path: z.string(), text: z.string().optional() }), () => ''),
      ]);
      prompt.defAgent('researcher', 'Researches', z.object({ topic: z.string() }), (_, own) => own.$`Hi.`);
      prompt.$`Hi.`;
    },
    options: {
      tools: { now: { description: 'The time', inputSchema: z.object({}), execute: () => 0 } },
      toolOrder: ['researcher', 'now'],
      toolChoice: 'required',
      activeTools: ['getWeather', 'researcher', 'now', 'file'],
    },
  },
  'call settings': {
    define: sayHi,
    options: {
      temperature: 0.3,
      maxOutputTokens: 50,
      topP: 0.5,
      stopSequences: ['END'],
      seed: 7,
      providerOptions: cached,
      headers: { 'x-test': '1' },
    },
  },
  'hooks, of which each sees what the one before has done': {
    define(prompt) {
      prompt.def('MOOD', 'calm');
      prompt.defTool('getWeather', 'Weather', city, () => 'Sunny');
      prompt.defTool('getTime', 'Time', city, () => 'Noon');
      prompt.$`Hi.`;
      prompt.defHook(async ({ stepNumber, messages }) => ({
        variables: { MOOD: { type: 'string', value: `glad ${stepNumber}` } },
        activeTools: ['getTime', 'nothing'],
        messages: [...messages, { role: 'user', content: 'Answer at once.' }],
        temperature: 0.9,
      }));
      prompt.defHook(({ system, activeTools }) => ({
        system: `${typeof system}\nTools: ${activeTools.join()}`,
        toolChoice: 'none',
      }));
    },
  },
  'a task list, with what its first task defines': {
    define(prompt) {
      prompt.defSystem('role', 'You count.');
      prompt.defTaskList([
        {
          task: 'Add 5 and 3',
          extend(own, messages) {
            own.def('NUMBERS', `5 and 3, after ${messages.length}`);
            own.defSystem('role', 'You add.');
            own.defTool('add', 'Adds', z.object({ a: z.number() }), () => 8);
            own.defMessage('user', 'Take your time.');
          },
        },
        { task: 'Double it' },
      ]);
      prompt.$`Work.`;
    },
  },
  'a task list of the model': {
    define(prompt) {
      prompt.defDynamicTaskList();
      prompt.$`Plan.`;
    },
  },
  'a prepareStep of the caller': {
    define(prompt) {
      prompt.defTool('getWeather', 'Weather', city, () => 'Sunny');
      prompt.$`Hi.`;
    },
    options: {
      prepareStep: ({ instructions, messages }) => ({
        instructions: `${typeof instructions === 'string' ? instructions : 'None'}, and more.`,
        messages: [...messages, { role: 'user', content: 'Now.' }],
        activeTools: [],
        topK: 4,
      }),
    },
  },
  'messages of many parts, and earlier turns': {
    define(prompt) {
      prompt.defMessage('user', [
        { type: 'text', text: 'What is this?' },
        { type: 'image', image: 'https://example.com/cat.png' },
        { type: 'file', data: new TextEncoder().encode('a,b'), mediaType: 'text/csv', filename: 'a.csv' },
      ]);
      prompt.defMessage('assistant', [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { near: true } },
      ]);
      prompt.defMessage('tool', [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { cat: 1 } },
      ]);
      prompt.$`Look again: ${new Blob(['x,y'], { type: 'text/csv' })}`;
    },
    options: { messages: [{ role: 'assistant', content: 'A cat.' }] },
    messages: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'And now?' }] }],
  },
};

export async function errorOf(promise: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await promise;
  } catch (error) {
    if (CuelineError.isInstance(error)) return { code: error.code, message: error.message };
  }
  throw new Error('There was no error of ours.');
}
