import { checkNames } from '../../base/check-names.ts';
import { quoteValue } from '../../base/quote-value.ts';
import { successorOf } from '../../base/replaced-options.ts';
import { faultOfMessages } from '../../messages/check-messages.ts';
import { inOptions } from '../../prompt/option-names.ts';
import { checkReady, splitTools } from '../../tools/named-tools.ts';
import { isToolList } from '../../tools/tool-list.ts';
import { throwFirstIssue } from '../throw-first-issue.ts';
import type { SessionCallbacks } from './session-callbacks.ts';
import { OPENING, sessionOptionNames, type SessionSettings, type SessionTools } from './session-config.ts';
import { missingExecuteError } from './session-end.ts';

const names: Record<keyof SessionSettings, true> = {
  systemPrompt: true,
  tools: true,
  sessionId: true,
  initialMessages: true,
  initialMessage: true,
  answers: true,
  maxTurns: true,
  tokenLimit: true,
  llmTimeout: true,
  toolTimeout: true,
  logger: true,
  callbacks: true,
  metadata: true,
  options: true,
  limits: true,
};

const callbackNames: Record<keyof SessionCallbacks, true> = {
  onTurnStart: true,
  onAssistantMessage: true,
  onToolCall: true,
  onToolResult: true,
  onError: true,
  onComplete: true,
  onMessagesUpdate: true,
  onBeforeSummarize: true,
  onAfterSummarize: true,
};

/** Checks settings that a page need not know before. @throws CuelineError `invalid_options` */
export function checkSettings(settings: SessionSettings): void {
  const settingNames = Object.keys(names);
  checkNames('The session', settings, settingNames, 'invalid_options', (name) =>
    successorOf(name, settingNames) === undefined
      ? inOptions('runAgentSession(model, ', name, sessionOptionNames)
      : undefined,
  );
  checkNames('options of the session', settings.options, sessionOptionNames, 'invalid_options', (name) =>
    settingNames.includes(name)
      ? `${name} is a setting of the session itself, not one of its options.`
      : undefined,
  );
  throwFirstIssue('invalid_options', issuesOf(settings), 'The session');
  // a session whose callback is never called stores nothing
  checkNames('callbacks', settings.callbacks, Object.keys(callbackNames), 'invalid_options');
}

function* issuesOf(settings: SessionSettings): Generator<string> {
  const { callbacks = {}, initialMessages = [], initialMessage = OPENING, tools = {} } = settings;
  for (const name of ['tools', 'callbacks', 'answers'] as const) {
    const { [name]: value = {} } = settings;
    if (typeof value === 'object' && value !== null) continue;
    yield `${name} is ${quoteValue(value)}. Write { … }, or leave it out.`;
  }
  if (typeof initialMessage !== 'string') {
    yield `initialMessage is ${quoteValue(initialMessage)}. Give a string, or messages as initialMessages.`;
  }
  const fault = faultOfMessages('initialMessages', initialMessages);
  if (fault !== undefined) yield fault;
  else if (initialMessages.some(({ role }) => role === 'system')) {
    yield 'initialMessages has a system message. Put its text into systemPrompt.';
  }
  for (const [name, callback] of Object.entries(callbacks)) {
    if (callback === undefined || typeof callback === 'function') continue;
    yield `callbacks.${name} is not a function.`;
  }
  if (isToolList(tools)) return yield* toolFaults(tools);
  yield "tools are in the wrong form. Write { search: { description, inputSchema, execute } }, or [tool('search', …)].";
}

function* toolFaults(tools: SessionTools & Parameters<typeof splitTools>[0]): Generator<string> {
  for (const [name, tool] of Object.entries(splitTools(tools).ready)) {
    checkReady(name, tool);
    const { type, execute, isProviderExecuted } = tool as Partial<Record<string, unknown>>;
    if (typeof execute === 'function') continue;
    if (type !== 'provider') {
      yield `the tool ${name} has no execute. If a person has to answer, return suspend({ … }) from execute.`;
    } else if (isProviderExecuted === false) throw missingExecuteError(name);
  }
}
