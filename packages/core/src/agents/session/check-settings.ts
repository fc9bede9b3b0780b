import { successorOf } from '../../base/former-names.ts';
import { checkNames } from '../../base/check-names.ts';
import { inOptions } from '../../prompt/option-names.ts';
import { quoted } from '../../base/part-error.ts';
import { isToolList, splitTools } from '../../tools/tool-list.ts';
import { isMessage } from '../../messages/is-message.ts';
import type { SessionCallbacks } from './session-callbacks.ts';
import { withoutExecute } from './session-end.ts';
import {
  fail,
  OPENING,
  type SessionOptions,
  type SessionSettings,
  type SessionTools,
} from './session-config.ts';

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

const options: Record<keyof SessionOptions, true> = {
  approval: true,
  frequencyPenalty: true,
  headers: true,
  loopGuard: true,
  maxOutputTokens: true,
  presencePenalty: true,
  providerOptions: true,
  reasoning: true,
  seed: true,
  stopSequences: true,
  telemetry: true,
  temperature: true,
  topK: true,
  topP: true,
};
const optionNames = Object.keys(options);

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
  const whose = 'The session';
  const settingNames = Object.keys(names);
  checkNames(whose, settings, settingNames, 'invalid_options', (name) =>
    successorOf(name, settingNames) === undefined
      ? inOptions('runAgentSession(model, ', name, optionNames)
      : undefined,
  );
  checkNames('options of the session', settings.options, optionNames, 'invalid_options', (name) =>
    settingNames.includes(name) ? `${name} stands beside the options of the session.` : undefined,
  );
  const { callbacks = {}, initialMessages = [], initialMessage = OPENING, tools = {} } = settings;
  for (const name of ['tools', 'callbacks', 'answers'] as const) {
    const { [name]: value = {} } = settings;
    if (typeof value !== 'object' || value === null) {
      fail(whose, `${name} is ${quoted(value)}. Write { … }, or leave it out.`);
    }
  }
  if (typeof initialMessage !== 'string') {
    fail(whose, `initialMessage is ${quoted(initialMessage)}. Give a text, or messages as initialMessages.`);
  }
  const odd = initialMessages.findIndex((message) => !isMessage(message));
  if (odd !== -1) {
    fail(
      whose,
      `initialMessages[${odd}] is no message of the AI SDK, such as { role: 'user', content: 'Hello!' }. Turn UIMessages into messages with its convertToModelMessages.`,
    );
  }
  // a session whose callback is never called stores nothing
  checkNames('callbacks', callbacks, Object.keys(callbackNames), 'invalid_options');
  for (const [name, callback] of Object.entries(callbacks)) {
    if (callback !== undefined && typeof callback !== 'function') {
      fail(whose, `callbacks.${name} is not a function.`);
    }
  }
  if (initialMessages.some(({ role }) => role === 'system')) {
    fail(whose, 'initialMessages has a system message. Put its text into systemPrompt.');
  }
  checkTools(whose, tools);
}

function checkTools(whose: string, tools: SessionTools): void {
  if (!isToolList(tools)) {
    fail(
      whose,
      "tools are in the wrong form. Write { search: { description, inputSchema, execute } }, or [tool('search', …)].",
    );
  }
  for (const [name, tool] of Object.entries(splitTools(tools).ready)) {
    const { type, execute, isProviderExecuted } = tool as Partial<Record<string, unknown>>;
    if (type === 'provider') {
      if (isProviderExecuted === false && typeof execute !== 'function') throw withoutExecute(name);
    } else if (typeof execute !== 'function') {
      fail(
        whose,
        `the tool ${name} has no execute. Where a person has to answer, let execute return suspend({ … }).`,
      );
    }
  }
}
