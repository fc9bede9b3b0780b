import { expect, test } from 'vitest';
import { calls, complete, playSession } from './sessions.ts';

test('plain: a tool, then the end', async () => {
  const { told, result } = await playSession([
    [{ text: 'I look it up.' }, ...(calls(['search', { query: 'it' }]) as [])],
    complete('Found it.', { it: 1 }),
  ]);
  expect(told).toMatchInlineSnapshot(`
    [
      "onTurnStart 1",
      "onAssistantMessage 1: I look it up.",
      "onToolCall 1: search {"query":"it"}",
      "onMessagesUpdate user, assistant(search)",
      "onToolResult 1: search {"found":"it"}",
      "onMessagesUpdate user, assistant(search), tool(search)",
      "onTurnStart 2",
      "onToolCall 2: task_complete {"summary":"Found it.","result":{"it":1}}",
      "onMessagesUpdate user, assistant(search), tool(search), assistant(task_complete)",
      "onToolResult 2: task_complete {"completed":true}",
      "onMessagesUpdate user, assistant(search), tool(search), assistant(task_complete), tool(task_complete)",
      "onComplete task_complete in 2",
    ]
  `);
  expect(result).toMatchInlineSnapshot(`
    {
      "completionReason": "task_complete",
      "finalOutput": "I look it up.",
      "messages": [
        {
          "content": "Please begin.",
          "role": "user",
        },
        {
          "content": [
            {
              "providerOptions": undefined,
              "text": "I look it up.",
              "type": "text",
            },
            {
              "input": {
                "query": "it",
              },
              "providerExecuted": undefined,
              "providerOptions": undefined,
              "toolCallId": "call-0-1",
              "toolName": "search",
              "type": "tool-call",
            },
          ],
          "role": "assistant",
        },
        {
          "content": [
            {
              "output": {
                "type": "json",
                "value": {
                  "found": "it",
                },
              },
              "toolCallId": "call-0-1",
              "toolName": "search",
              "type": "tool-result",
            },
          ],
          "role": "tool",
        },
        {
          "content": [
            {
              "input": {
                "result": {
                  "it": 1,
                },
                "summary": "Found it.",
              },
              "providerExecuted": undefined,
              "providerOptions": undefined,
              "toolCallId": "call-done",
              "toolName": "task_complete",
              "type": "tool-call",
            },
          ],
          "role": "assistant",
        },
        {
          "content": [
            {
              "output": {
                "type": "json",
                "value": {
                  "completed": true,
                },
              },
              "toolCallId": "call-done",
              "toolName": "task_complete",
              "type": "tool-result",
            },
          ],
          "role": "tool",
        },
      ],
      "sessionId": "s1",
      "taskResult": {
        "it": 1,
      },
      "totalTurns": 2,
      "usage": {
        "inputTokens": 95,
        "outputTokens": 18,
        "totalTokens": 113,
      },
    }
  `);
});
