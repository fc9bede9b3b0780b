import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { chooseWord, readAnswerForm } from './answer-forms.ts';
import { argumentsFromSchema } from './arguments-from-schema.ts';
import { writeAnswer } from './demo-answer.ts';
import { readHints } from './hints.ts';
import { type ParsedPrompt, readFields } from './parse-prompt.ts';
import { planDynamicTasks } from './plan-dynamic-tasks.ts';
import { planTask } from './plan-task.ts';
import { noteEdits } from './task-work.ts';
import { announce, endings, nextTools, type Plan, type PlanContext } from './tool-calls.ts';

/** Decides the next step: which tools to call, or what to answer. */
export function planStep(options: LanguageModelV4CallOptions, prompt: ParsedPrompt, now: Date): Plan {
  const { responseFormat, toolChoice } = options;
  const tools = (options.tools ?? []).filter((tool) => tool.type === 'function');
  const fields = readFields(prompt.variables, prompt.allOutcomes);
  const hints = readHints(prompt.task ?? prompt.request, fields, now);
  const context = { prompt, hints, tools };
  const plan = planCalls(context, toolChoice);
  if (plan !== undefined) {
    const text = [noteEdits(prompt), plan.text].filter((part) => part !== '').join(' ');
    return { ...plan, text: responseFormat?.type === 'json' ? '' : text };
  }
  if (responseFormat?.type === 'json') return { text: writeJson(responseFormat.schema, context), calls: [] };
  const form = readAnswerForm(options.prompt);
  if (form === undefined) return { text: writeAnswer(prompt, hints), calls: [] };
  const text = 'words' in form ? chooseWord(form.words, prompt.request) : writeTags(form.tags, context);
  return { text, calls: [] };
}

function planCalls(
  context: PlanContext,
  toolChoice: LanguageModelV4CallOptions['toolChoice'],
): Plan | undefined {
  const { tools } = context;
  if (tools.length === 0 || toolChoice?.type === 'none') return undefined;
  if (toolChoice?.type === 'tool') {
    const named = tools.find(({ name }) => name === toolChoice.toolName);
    return named === undefined ? undefined : announce(context, [named]);
  }
  const has = (name: string): boolean => tools.some((tool) => tool.name === name);
  const planned = has('finishTask')
    ? planTask(context)
    : has('createTask') && has('completeTask')
      ? planDynamicTasks(context)
      : announce(context, nextTools(context));
  if (planned !== undefined || toolChoice?.type !== 'required') return planned;
  // A call is required, and every tool has been called: call a finishing tool if there is one, or begin again.
  return announce(context, [tools.find(({ name }) => endings.test(name)) ?? tools[0]!]);
}

function writeJson(schema: unknown, { hints }: PlanContext): string {
  const value = schema === undefined ? { answer: hints.request } : argumentsFromSchema(schema, hints);
  return JSON.stringify(value, null, 2);
}

function writeTags(names: readonly string[], { hints }: PlanContext): string {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  const values = argumentsFromSchema({ type: 'object', properties, required: names }, hints);
  return names
    .map((name) => `<${name}>${String((values as Record<string, unknown>)[name])}</${name}>`)
    .join('\n');
}
