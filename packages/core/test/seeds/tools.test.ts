// The prompt language: each example as it is promised, and what the model is sent for it.
import { tool, type PromptSource } from '@cueline/core';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, types } from '../support.ts';
import { outputs, play } from './run-scripted.ts';

describe('defTool', () => {
  test('registers a function with its schema', async () => {
    const performSearch = (query: string) => Promise.resolve([`${query}: first`, `${query}: second`]);
    const { model, sent } = await play(
      (prompt) => {
        prompt.defTool('search', 'Search for information', z.object({ query: z.string() }), async (args) => {
          return await performSearch(args.query);
        });
        prompt.$`Search.`;
      },
      [[call('search', { query: 'tides' })], 'Found two.'],
    );
    expect(model.calls[0]!.tools).toEqual([
      {
        type: 'function',
        name: 'search',
        description: 'Search for information',
        inputSchema: {
          $schema: 'http://json-schema.org/draft-07/schema#',
          type: 'object',
          properties: { query: { type: 'string' } },
          required: ['query'],
          additionalProperties: false,
        },
      },
    ]);
    expect(sent[1]!.messages).toEqual([
      'user: Search.',
      'assistant calls search {"query":"tides"}',
      'search answers ["tides: first","tides: second"]',
    ]);
  });

  test('the function gets toolCallId, messages and abortSignal', async () => {
    const seen: unknown[] = [];
    const performTask = (data: string, abortSignal: AbortSignal | undefined) =>
      Promise.resolve(`${data}, ${abortSignal?.aborted === true ? 'aborted' : 'not aborted'}`);
    const { state } = await play(
      (prompt) => {
        prompt.defTool(
          'longRunningTask',
          'Performs a task that can be cancelled',
          z.object({ data: z.string() }),
          async (args, { toolCallId, messages, abortSignal }) => {
            seen.push({ toolCallId, messages });
            // Use abortSignal to check if operation should be cancelled
            return await performTask(args.data, abortSignal);
          },
        );
        prompt.$`Go.`;
      },
      [[{ toolCall: { id: 'call_1', name: 'longRunningTask', input: { data: 'sum' } } }], 'Done.'],
    );
    expect(seen).toEqual([{ toolCallId: 'call_1', messages: [{ role: 'user', content: 'Go.' }] }]);
    expect(state.toolCalls[0]!.output).toBe('sum, not aborted');
  });
});

/** As much of a file system as the examples need. */
function fakeFiles(): {
  writeFile(path: string, content: string): Promise<void>;
  appendFile(path: string, content: string): Promise<void>;
  readFile(path: string, encoding: 'utf-8'): Promise<string>;
} {
  const files = new Map<string, string>();
  return {
    async writeFile(path, content) {
      if (path.startsWith('/root')) throw new Error('Permission denied');
      files.set(path, content);
    },
    async appendFile(path, content) {
      files.set(path, (files.get(path) ?? '') + content);
    },
    async readFile(path) {
      return files.get(path) ?? '';
    },
  };
}

describe('composite tools', () => {
  const withFiles: PromptSource = (prompt) => {
    const fs = fakeFiles();
    prompt.defTool('file', 'File system operations', [
      tool(
        'write',
        'Write content to a file',
        z.object({
          path: z.string().describe('File path'),
          content: z.string().describe('Content to write'),
        }),
        async ({ path, content }) => {
          await fs.writeFile(path, content);
          return { success: true };
        },
      ),
      tool(
        'append',
        'Append content to a file',
        z.object({
          path: z.string().describe('File path'),
          content: z.string().describe('Content to append'),
        }),
        async ({ path, content }) => {
          await fs.appendFile(path, content);
          return { success: true };
        },
      ),
      tool(
        'read',
        'Read content from a file',
        z.object({
          path: z.string().describe('File path'),
        }),
        async ({ path }) => {
          const content = await fs.readFile(path, 'utf-8');
          return { content };
        },
      ),
    ]);
    prompt.$`Write, append, read.`;
  };
  const calls = [
    { name: 'write', args: { path: '/tmp/test.txt', content: 'Hello' } },
    { name: 'append', args: { path: '/tmp/test.txt', content: ' World' } },
    { name: 'read', args: { path: '/tmp/test.txt' } },
  ];

  test('are one tool that describes its parts', async () => {
    const { model } = await play(withFiles, ['Nothing to do.']);
    const object = (properties: object, rest: object = {}) => ({
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
      ...rest,
    });
    const string = (description: string) => ({ type: 'string', description });
    const path = string('File path');
    const part = (name: string, description: string, args: object) =>
      object({ name: { type: 'string', const: name }, args: object(args) }, { description });
    const anyOf = [
      part('write', 'Write content to a file', { path, content: string('Content to write') }),
      part('append', 'Append content to a file', { path, content: string('Content to append') }),
      part('read', 'Read content from a file', { path }),
    ];
    expect(model.calls[0]!.tools).toEqual([
      {
        type: 'function',
        name: 'file',
        description:
          'File system operations\n\nTakes a list of calls and makes them in order. What can be called:\n- write: Write content to a file\n- append: Append content to a file\n- read: Read content from a file',
        inputSchema: object({ calls: { type: 'array', minItems: 1, items: { anyOf } } }),
      },
    ]);
  });

  test('return value: a result for each call', async () => {
    const { events, sent, state } = await play(withFiles, [[call('file', { calls })], 'Done.']);
    expect(outputs(events)).toEqual([
      {
        results: [
          { name: 'write', result: { success: true } },
          { name: 'append', result: { success: true } },
          { name: 'read', result: { content: 'Hello World' } },
        ],
      },
    ]);
    expect(sent[1]!.messages.at(-1)).toBe(
      'file answers {"results":[{"name":"write","result":{"success":true}},{"name":"append","result":{"success":true}},{"name":"read","result":{"content":"Hello World"}}]}',
    );
    expect(types(events).slice(4, 14)).toEqual([
      'tool-input-end',
      'tool-start',
      'sub-call-start',
      'sub-call-end',
      'sub-call-start',
      'sub-call-end',
      'sub-call-start',
      'sub-call-end',
      'tool-end',
      'step-end',
    ]);
    expect(state.toolCalls[0]!.subCalls?.map(({ name, state }) => [name, state])).toEqual([
      ['write', 'output-available'],
      ['append', 'output-available'],
      ['read', 'output-available'],
    ]);
  });
});
