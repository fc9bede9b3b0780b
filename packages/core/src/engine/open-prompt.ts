import type { ModelMessage, ToolSet } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { isUnawaited } from '../base/is-promise.ts';
import { isRecord } from '../base/is-record.ts';
import { checkAnswered, faultOfMessages } from '../messages/check-messages.ts';
import { resolveMessages } from '../messages/resolve-messages.ts';
import { applyPlugin } from '../prompt/apply-plugin.ts';
import { PromptBuilder } from '../prompt/prompt-builder.ts';
import type { Plugin, Prompt } from '../prompt/prompt.ts';
import type { ToolList } from '../tools/tool-list.ts';

/** A prompt with all definitions that are made before the run, and its first messages. */
export type OpenedPrompt = { prompt: PromptBuilder; messages: ModelMessage[] };

/** What a prompt is opened with. */
export type OpenPromptOptions = {
  plugins: readonly Plugin[];
  /** Tools that the definition declares. */
  declared?: ToolList | undefined;
  /** The prompt function. */
  define: (prompt: Prompt) => void | Promise<void>;
  /** Ready-made tools from the caller. */
  tools: ToolSet | undefined;
  /** The caller's messages, which follow the prompt's own. */
  messages?: readonly ModelMessage[] | undefined;
};

/**
 * Calls plugins and the prompt function, which make their definitions.
 * @throws CuelineError `invalid_definition`; `invalid_options`, before it calls any of them
 */
export async function openPrompt(options: OpenPromptOptions): Promise<OpenedPrompt> {
  const { messages = [] } = options;
  const fault = faultOfMessages('options.messages', messages);
  if (fault !== undefined) throw new CuelineError('invalid_options', fault);
  checkTools(options.tools);
  const prompt = new PromptBuilder();
  for (const plugin of options.plugins) await applyPlugin(prompt, plugin);
  if (options.declared !== undefined) prompt.defTools(options.declared);
  await options.define(prompt);
  prompt.start(options.tools);
  return { prompt, messages: [...(await resolveMessages(prompt.definitions.messages)), ...messages] };
}

function checkTools(tools: unknown = {}): void {
  const unawaited = isUnawaited(tools);
  if (!isRecord(tools) || unawaited) {
    const instead = unawaited ? 'await mcpClient.tools()' : '{ search: … }';
    throw new CuelineError(
      'invalid_options',
      `options.tools takes the AI SDK’s tools by name: tools: ${instead}. Define your own with prompt.defTool.`,
    );
  }
  const own = Object.keys(tools).find((name) => (tools[name] as { kind?: unknown } | null)?.kind === 'tool');
  if (own === undefined) return;
  throw new CuelineError(
    'invalid_options',
    `tools.${own} is not one of the AI SDK’s tools. Write prompt.defTool('${own}', 'what it does', z.object({ … }), async (args) => …).`,
  );
}

/** @throws CuelineError `invalid_definition` if there is nothing to answer, or a call that must be answered first */
export function checkMessages(messages: readonly ModelMessage[]): void {
  if (messages.length > 0) return checkAnswered(messages);
  throw new CuelineError(
    'invalid_definition',
    'The prompt has no message, so there is nothing to answer. Add one: prompt.$`Summarize this: …`.',
  );
}
