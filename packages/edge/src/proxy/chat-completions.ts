import { isRecord } from '../base/is-record.ts';
import { countOf, type ReportedUsage } from '../limits/charge.ts';
import type { Api, BodyRules } from './api.ts';
import {
  capOutputTokens,
  invalidBodyError,
  type JsonObject,
  objectsOf,
  pick,
  pickCached,
  readStream,
  refuseFields,
  refuseForeignSchemas,
  refuseSeveral,
  toolDeniedError,
} from './body-fields.ts';
import { base64, dataUrl } from './media.ts';

// Left out on purpose: store and metadata (stored at the provider, in our account), user and safety_identifier
// (a client must not choose the identity), service_tier (a price), audio and prediction (tokens that are not
// reserved).
const fields = [
  'messages',
  'temperature',
  'top_p',
  'stop',
  'seed',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'response_format',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning_effort',
  'verbosity',
  'max_tokens',
  'max_completion_tokens',
];

/** Chat Completions, of OpenAI (`true`) or of a compatible server. */
export function chatApi(openai: boolean): Api {
  return {
    fields,
    authorize: (key) => ({ authorization: `Bearer ${key}` }),
    check: (body, rules) => {
      const stream = readStream(body);
      const { stream_options: options } = body;
      const wanted = isRecord(options) && options['include_usage'] === true;
      return {
        // the budget is settled with the usage in the last event
        ...check(body, rules, openai ? outputNames : [nameOfCap(rules)], {
          stream,
          ...(stream ? { stream_options: { include_usage: true } } : {}),
        }),
        hideUsage: stream && !wanted,
      };
    },
    deltas: ['content', 'reasoning_content', 'arguments'],
    usage,
  };
}

/** Chat Completions in Mistral's dialect: it refuses unknown fields, and always reports usage. */
export const mistralApi: Api = {
  ...chatApi(false),
  fields: [
    ...fields.filter((name) => name !== 'max_completion_tokens' && name !== 'seed'),
    'random_seed',
    'safe_prompt',
    'document_image_limit',
    'document_page_limit',
  ],
  check: (body, rules) => check(body, rules, ['max_tokens'], { stream: readStream(body) }),
  deltas: ['content', 'text', 'arguments'],
};

const outputNames = ['max_completion_tokens', 'max_tokens'] as const;

/**
 * A compatible server may know only one of the two names, and a name that it does not know limits nothing. So
 * one name is sent: the older one, unless the provider's own list of fields omits it.
 */
function nameOfCap({ fields }: BodyRules): (typeof outputNames)[number] {
  return fields.has('max_tokens') || !fields.has('max_completion_tokens')
    ? 'max_tokens'
    : 'max_completion_tokens';
}

function check(
  body: JsonObject,
  rules: BodyRules,
  names: readonly [string, ...string[]],
  more: { stream: boolean; stream_options?: JsonObject },
): { body: JsonObject; stream: boolean; outputTokens: number } {
  if (Object.hasOwn(body, 'web_search_options')) throw toolDeniedError('web_search_options');
  refuseFields(body, rules.fields, {
    functions: 'it is the old form of tools. Send tools.',
    function_call: 'it is the old form of tool_choice. Send tool_choice.',
  });
  refuseSeveral(body, ['n', 'best_of']);
  const clean = pick(body, rules.fields);
  // a second name for the same limit would evade the cap
  for (const name of outputNames) {
    if (names.includes(name)) continue;
    if (clean[name] !== undefined && clean[names[0]] === undefined) clean[names[0]] = clean[name];
    delete clean[name];
  }
  clean['messages'] = objectsOf(body['messages'], 'messages').map((message) => checkMessage(message, rules));
  if (clean['tools'] !== undefined) clean['tools'] = objectsOf(clean['tools'], 'tools').map(checkTool);
  checkChoice(clean['tool_choice']);
  refuseForeignSchemas([clean['tools'], clean['response_format']]);
  const outputTokens = capOutputTokens(clean, names, rules.maxOutputTokens);
  return { body: { model: rules.model, ...clean, ...more }, stream: more.stream, outputTokens };
}

function checkTool(tool: JsonObject): JsonObject {
  if (tool['type'] !== 'function' || !isRecord(tool['function'])) {
    throw toolDeniedError('A tool that is not a function');
  }
  return pick(tool, ['type', 'function']);
}

function checkChoice(choice: unknown): void {
  if (choice === undefined || typeof choice === 'string') return;
  if (!isRecord(choice) || choice['type'] !== 'function')
    throw toolDeniedError('A tool_choice that is not a function');
}

function checkMessage(message: JsonObject, { media }: BodyRules): JsonObject {
  const clean = pick(message, [
    'role',
    'content',
    'name',
    'tool_calls',
    'tool_call_id',
    'refusal',
    'reasoning_content',
    'prefix',
  ]);
  if (typeof clean['role'] !== 'string') throw invalidBodyError('A message has no role.');
  if (isRecord(message['audio']))
    throw invalidBodyError('messages: audio by id is refused. Send its transcript.');
  const { content, tool_calls: calls } = clean;
  if (calls !== undefined) {
    for (const call of objectsOf(calls, 'tool_calls')) {
      if (call['type'] !== undefined && call['type'] !== 'function')
        throw toolDeniedError('A call of a tool that is not a function');
    }
  }
  if (content === undefined || typeof content === 'string') return clean;
  return { ...clean, content: objectsOf(content, 'content').map(checkPart) };

  function checkPart(part: JsonObject): JsonObject {
    const { type } = part;
    if (type === 'text') return pickCached(part, ['type', 'text']);
    if (type === 'refusal') return pick(part, ['type', 'refusal']);
    if (type === 'thinking') {
      const { thinking } = part;
      const texts = typeof thinking === 'string' ? thinking : objectsOf(thinking, 'thinking').map(checkText);
      return { type, thinking: texts };
    }
    if (type === 'image_url') {
      const image = part['image_url'];
      if (!isRecord(image)) return { type, image_url: dataUrl(image, 'image_url', media) };
      return {
        type,
        image_url: { ...pick(image, ['detail']), url: dataUrl(image['url'], 'image_url', media) },
      };
    }
    if (type === 'document_url') {
      return {
        ...pick(part, ['type', 'document_name']),
        document_url: dataUrl(part['document_url'], 'document_url', media),
      };
    }
    if (type === 'input_audio' && isRecord(part['input_audio'])) {
      const audio = pick(part['input_audio'], ['data', 'format']);
      base64(audio['data'], 'audio', 'input_audio', media);
      return { type, input_audio: audio };
    }
    if (type === 'file' && isRecord(part['file'])) {
      const file = part['file'];
      if (file['file_id'] !== undefined)
        throw invalidBodyError('A file by its id is refused. Send the file itself.');
      return {
        type,
        file: { ...pick(file, ['filename']), file_data: dataUrl(file['file_data'], 'file_data', media) },
      };
    }
    throw invalidBodyError('messages has a part of a type that is not forwarded.');
  }
}

function usage({ usage, choices }: JsonObject): ReportedUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const { prompt_tokens_details: given } = usage;
  const details = isRecord(given) ? given : {};
  // some servers report the usage so far with each piece of a stream
  const goesOn =
    Array.isArray(choices) &&
    choices.some((choice) => isRecord(choice) && isRecord(choice['delta']) && !choice['finish_reason']);
  const input = countOf(usage['prompt_tokens']);
  const output = goesOn ? undefined : countOf(usage['completion_tokens']);
  // xAI and others count hidden reasoning in the total only
  const rest = (countOf(usage['total_tokens']) ?? 0) - (input ?? Infinity);
  return {
    input,
    output: output === undefined ? undefined : Math.max(output, rest),
    // the second name is Mistral's
    cachedInput: countOf(details['cached_tokens'] ?? usage['num_cached_tokens']),
    cacheWrite: countOf(details['cache_write_tokens']),
  };
}

function checkText(part: JsonObject): JsonObject {
  if (part['type'] !== 'text') throw invalidBodyError('thinking has a part that is not text.');
  return pick(part, ['type', 'text']);
}
