import { definePrompt, inProcess, remotePrompt, tool, viaRoute, type LocalExecutor } from '@cueline/core';
import { usePrompt, useTaskList } from '@cueline/react';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

const planDay = definePrompt('plan-day', (_prompt, _input: { city: string }) => {}, {
  output: z.object({ stops: z.array(z.string()) }),
  tools: [
    tool('findTables', '', z.object({ at: z.string() }), () => ['Tasca']),
    tool('askGuest', '', z.object({ question: z.string() }), { outputSchema: z.string() }),
  ],
});
const remote = remotePrompt<typeof planDay>('plan-day');

test('a remote prompt has the types of its definition', () => {
  const plan = usePrompt(remote, {
    executor: viaRoute('/api/plan-day'),
    tools: { askGuest: ({ question }) => question },
  });
  expectTypeOf(plan.start).parameter(0).toEqualTypeOf<{ city: string }>();
  expectTypeOf(plan.object?.stops).toEqualTypeOf<(string | undefined)[] | undefined>();
  expectTypeOf<Awaited<ReturnType<typeof plan.start>>>().toEqualTypeOf<{ stops: string[] }>();
  for (const call of plan.toolCalls) {
    if (call.toolName === 'findTables') expectTypeOf(call.output).toEqualTypeOf<string[] | undefined>();
  }
  // @ts-expect-error its function is the server's
  usePrompt(remote, { tools: { findTables: () => [] } });
  // @ts-expect-error no definition
  remotePrompt<{ name: string }>('plan-day');
});

test('a remote prompt without a type takes no input and returns text', () => {
  const run = usePrompt(remotePrompt('greet'));
  void run.start();
  expectTypeOf(run.text).toEqualTypeOf<string>();
});

test('a prompt in a component runs in the page', () => {
  usePrompt((prompt) => prompt.$`Hi.`, { executor: inProcess() });
  expectTypeOf(inProcess()).toExtend<LocalExecutor>();
  expectTypeOf(viaRoute('/api')).not.toExtend<LocalExecutor>();
  useTaskList(['Pack'], { executor: inProcess() });
  // @ts-expect-error a server does not know it
  usePrompt((prompt) => prompt.$`Hi.`, { executor: viaRoute('/api') });
  // @ts-expect-error a server does not know it
  useTaskList(['Pack'], { executor: viaRoute('/api') });
});

test('start takes the input of the schema of the definition', () => {
  const withSchema = definePrompt(
    'plan-week',
    (prompt, { city, days }) => prompt.$`${days} days in ${city}`,
    {
      input: z.object({ city: z.string(), days: z.number().default(7) }),
    },
  );
  const plan = usePrompt(remotePrompt<typeof withSchema>('plan-week'));
  expectTypeOf(plan.start).parameter(0).toEqualTypeOf<{ city: string; days?: number | undefined }>();
});
