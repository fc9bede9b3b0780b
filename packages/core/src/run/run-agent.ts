import { createId } from '../create-id.ts';
import { CuelineError } from '../errors.ts';
import type { RunEventBody } from '../log/events.ts';
import { budgetExceeded } from './limits.ts';
import { checkMessages, openPrompt } from './open-prompt.ts';
import type { Ending } from './recorder.ts';
import { speak } from './speak.ts';
import { toJson } from './to-json.ts';
import type { AgentCall, EventSink, Speaker } from './tree.ts';
import { toUIMessages } from './ui-messages.ts';

/**
 * Answers a tool call with a prompt of its own, which runs in the same log, under the same limits, and stops with its
 * parent. Resolves with the text of its answer, or with the object that its response schema asks for; rejects with why
 * there is none, which the parent's model is told.
 */
export async function runAgent(parent: Speaker, { name, agent, args, context }: AgentCall): Promise<unknown> {
  const { tree } = parent;
  const depth = parent.depth + 1;
  if (depth > tree.budget.limits.depth) throw budgetExceeded('depth', tree.budget.limits.depth);
  const { tools, ...options } = agent.options;
  const { prompt, messages } = await openPrompt({
    plugins: agent.plugins,
    define: (own) => agent.run(args, own),
    tools,
  });
  checkMessages(messages);
  const model = agent.model === undefined ? parent.model : await tree.models.resolve(agent.model);
  const { toolCallId, abortSignal } = context;
  // its function may have taken long
  abortSignal?.throwIfAborted();
  const path = tree.pathOf(parent.path, toolCallId);
  const sink = createAgentSink(tree.log, path);
  const speaker: Speaker = { tree, path, depth, model, sink };
  let ending: Ending | undefined;
  sink.append({
    type: 'agent-start',
    name,
    toolCallId,
    model: typeof model === 'string' ? model : `${model.provider}:${model.modelId}`,
    input: toJson(args, tree.secrets),
    messages: toUIMessages(messages),
    messageId: createId('msg'),
  });
  const { result, recorder, response } = speak(speaker, {
    prompt,
    messages,
    options,
    abortSignal: abortSignal ?? new AbortController().signal,
    ...(agent.responseSchema === undefined ? {} : { responseSchema: agent.responseSchema }),
    onEnd(given) {
      ending = given;
      const { outcome, finishReason, error } = given;
      const output = outcome === 'done' && response !== undefined ? response.value : undefined;
      sink.end({
        type: 'agent-end',
        // an agent that waits for an answer which nobody can give it has stopped
        outcome: outcome === 'waiting' ? 'stopped' : outcome,
        ...(finishReason === undefined ? {} : { finishReason }),
        ...(output === undefined ? {} : { output: toJson(output, tree.secrets) }),
        ...(error === undefined ? {} : { error: error.toJSON() }),
      });
    },
  });
  await result.consumeStream({ onError: recorder.fail });
  abortSignal?.throwIfAborted();
  if (ending?.outcome !== 'done') throw agentError(name, ending);
  return response === undefined ? await result.text : response.value;
}

function agentError(name: string, ending: Ending | undefined): CuelineError {
  const { error } = ending ?? {};
  const why =
    ending?.outcome === 'waiting'
      ? "it waits for an approval of the AI SDK's toolApproval, which nobody can give it. Define the tool with { needsApproval: true }, and the run asks for it."
      : 'it broke off without an end.';
  return new CuelineError(
    error?.code ?? 'stream_truncated',
    `The agent ${name} gave no answer: ${error?.message ?? why}`,
    error === undefined ? {} : { cause: error },
  );
}

/** The agent's part of the log. */
function createAgentSink(
  log: Speaker['tree']['log'],
  path: string,
): EventSink & { end(body: RunEventBody): void } {
  let ended = false;
  const append = (body: RunEventBody): void => {
    if (!ended) log.append({ ...body, agent: path });
  };
  return {
    append,
    get ended() {
      return ended || log.ended;
    },
    end(body) {
      append(body);
      ended = true;
    },
  };
}
