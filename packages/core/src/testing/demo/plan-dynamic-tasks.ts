import { argumentsFromSchema } from './arguments-from-schema.ts';
import { writeIntroduction, writeTaskResult } from './demo-answer.ts';
import { announce, nextTools, type Plan, type Situation } from './tool-calls.ts';

const mostTasks = 3;
const listTools = /^(createTask|updateTask|startTask|completeTask|getTaskList|deleteTask)$/;

/** The next step of a list that the model keeps itself: write it, do the work, tick off each task. */
export function planDynamicTasks(situation: Situation): Plan | undefined {
  const { conversation, tools } = situation;
  const { allOutcomes } = conversation;
  const created = allOutcomes.filter(({ toolName }) => toolName === 'createTask');
  if (created.length === 0) {
    return {
      text: writeIntroduction(conversation, ['createTask']),
      calls: splitIntoTasks(conversation.request).map((description) =>
        call(situation, 'createTask', { description }),
      ),
    };
  }
  const ids = created.flatMap(({ value }) => idIn(value) ?? []);
  const handled = (name: string): Set<unknown> =>
    new Set(
      allOutcomes
        .filter(({ toolName }) => toolName === name)
        .map(({ input }) => (input as { taskId?: unknown })?.taskId),
    );
  const started = handled('startTask');
  const completed = handled('completeTask');
  const current = ids.find((id) => !completed.has(id));
  if (current === undefined) return undefined;
  if (!started.has(current) && tools.some(({ name }) => name === 'startTask')) {
    return { text: `Now ${current}.`, calls: [call(situation, 'startTask', { taskId: current })] };
  }
  const open = nextTools({
    ...situation,
    conversation: { ...conversation, outcomes: allOutcomes },
    tools: others(tools),
  });
  if (open.length > 0) return announce(situation, open);
  const result = writeTaskResult({ ...conversation, task: `${current} of “${conversation.request}”` });
  return { text: '', calls: [call(situation, 'completeTask', { taskId: current, result })] };
}

function others(tools: Situation['tools']): Situation['tools'] {
  return tools.filter(({ name }) => !listTools.test(name));
}

function call(
  { tools, hints }: Situation,
  name: string,
  own: Record<string, unknown>,
): Plan['calls'][number] {
  const made = argumentsFromSchema(tools.find((tool) => tool.name === name)?.inputSchema, hints);
  return { name, input: typeof made === 'object' && made !== null ? { ...made, ...own } : own };
}

/** The id in what createTask answers, in a sentence or in an object. */
function idIn(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  return /\btask-\d+\b/.exec(text)?.[0] ?? /"(?:taskId|id)":"?([^",}]+)/.exec(text)?.[1];
}

/** A request in steps: its list items, else its sentences, else a beginning and an end. */
function splitIntoTasks(request: string): string[] {
  const items = [...request.matchAll(/^\s*(?:[-*]|\d+[.)])\s+(\S.*)$/gm)].map(([, item = '']) => item.trim());
  if (items.length > 1) return items.slice(0, mostTasks);
  const sentences = request
    .split(/(?<=[.!?])\s+|,?\s+(?:and then|then)\s+/)
    .filter((text) => text.trim().length > 3);
  if (sentences.length > 1) return sentences.slice(0, mostTasks).map((text) => text.trim());
  const gist = request.replace(/\s+/g, ' ').slice(0, 80) || 'the request';
  return [`Gather what is needed: ${gist}`, `Put it together: ${gist}`];
}
