import { tool } from '@cueline/core';
import { defineSession } from '@cueline/core/agents';
import { z } from 'zod';

const log = ['Noon: 1004 hPa, wind SW 3, dry.'];

// A turn without a tool call does not end the session. After the first one the model is told to continue,
// after the second one it is reminded that a session ends with task_complete.
export default defineSession('weather log', {
  systemPrompt:
    'You keep the weather log of a lighthouse. Read the instruments and write one line into the log.',
  initialMessage: 'It is six in the evening.',
  tools: [
    tool('readInstruments', 'Pressure, wind and rain', z.object({}), async () => ({
      pressure: '998 hPa',
      wind: 'SW 5',
      rain: '2 mm',
    })),
    tool(
      'writeLine',
      'Adds a line to the log',
      z.object({ line: z.string() }),
      async ({ line }) => ({ lines: log.push(line) }),
      { effect: 'write' },
    ),
  ],
});
