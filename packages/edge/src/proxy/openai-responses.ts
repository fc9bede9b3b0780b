import { isRecord } from '../base/is-record.ts';
import { countOf } from '../limits/charge.ts';
import type { Api, BodyRules } from './api.ts';
import {
  capOutputTokens,
  invalidBodyError,
  type JsonObject,
  objectsOf,
  pick,
  readStream,
  refuseFields,
  refuseForeignSchemas,
  refuseSeveral,
  toolDeniedError,
} from './body-fields.ts';
import { type Media, dataUrl } from './media.ts';

/** What the provider may add to an answer: nothing that comes from its own tools. */
const includable = new Set(['reasoning.encrypted_content', 'message.output_text.logprobs']);

const keptThere =
  'it refers to data stored at the provider, which all users share. Send the items themselves.';

/**
 * OpenAI's Responses. The provider stores nothing (`store: false`): anyone who knows the id of a stored answer
 * could refer to it, because all callers share one account, and it would cost tokens that are not reserved.
 */
export const responsesApi: Api = {
  fields: [
    'input',
    'instructions',
    'temperature',
    'top_p',
    'text',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'reasoning',
    'include',
    'truncation',
    'top_logprobs',
    'max_output_tokens',
  ],
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  check: (body, rules) => {
    refuseFields(body, rules.fields, {
      previous_response_id: keptThere,
      conversation: keptThere,
      prompt: 'it refers to a prompt at the provider, with tools of its own.',
      background: 'it would continue, and cost money, without a reader.',
      context_management: 'it makes the provider call a further model.',
    });
    refuseSeveral(body, ['n', 'best_of']);
    const stream = readStream(body);
    const clean = pick(body, rules.fields);
    clean['input'] = checkInput(body['input'], rules);
    if (clean['tools'] !== undefined) clean['tools'] = objectsOf(clean['tools'], 'tools').map(checkTool);
    checkChoice(clean['tool_choice']);
    refuseForeignSchemas([clean['tools'], clean['text']]);
    if (clean['include'] !== undefined) {
      const { include } = clean;
      if (!Array.isArray(include)) throw invalidBodyError('include is not an array.');
      clean['include'] = include.filter((name) => includable.has(name as string));
    }
    if (clean['reasoning'] !== undefined) {
      if (!isRecord(clean['reasoning'])) throw invalidBodyError('reasoning is not an object.');
      // the reasoning counts in the answer's length; other modes have other prices
      clean['reasoning'] = pick(clean['reasoning'], ['effort', 'summary']);
    }
    const outputTokens = capOutputTokens(clean, ['max_output_tokens'], rules.maxOutputTokens);
    return { body: { model: rules.model, ...clean, stream, store: false }, stream, outputTokens };
  },
  deltas: ['delta'],
  usage: (data) => {
    const usage = isRecord(data['response']) ? data['response']['usage'] : data['usage'];
    if (!isRecord(usage)) return undefined;
    const { input_tokens_details: given } = usage;
    const details = isRecord(given) ? given : {};
    return {
      input: countOf(usage['input_tokens']),
      output: countOf(usage['output_tokens']),
      cachedInput: countOf(details['cached_tokens']),
      cacheWrite: countOf(details['cache_write_tokens']),
    };
  },
};

function checkTool(tool: JsonObject): JsonObject {
  if (tool['type'] !== 'function') throw toolDeniedError('A tool that is not a function');
  return pick(tool, ['type', 'name', 'description', 'parameters', 'strict']);
}

function checkChoice(choice: unknown): void {
  if (choice === undefined || typeof choice === 'string') return;
  const allowed = isRecord(choice) ? choice : {};
  if (allowed['type'] === 'function') return;
  const tools = allowed['type'] === 'allowed_tools' ? allowed['tools'] : undefined;
  if (Array.isArray(tools) && tools.every((tool) => isRecord(tool) && tool['type'] === 'function')) return;
  throw toolDeniedError('A tool_choice that is not a function');
}

function checkInput(input: unknown, { media }: BodyRules): unknown {
  if (typeof input === 'string') return input;
  return objectsOf(input, 'input').map((item) => checkItem(item, media));
}

function checkItem(item: JsonObject, media: Media): JsonObject {
  const { type } = item;
  if (type === undefined || type === 'message') {
    const clean = pick(item, ['type', 'role', 'content', 'id', 'status', 'phase']);
    if (typeof clean['role'] !== 'string') throw invalidBodyError('A message of input has no role.');
    return { ...clean, content: checkContent(clean['content'], media) };
  }
  if (type === 'function_call') return pick(item, ['type', 'id', 'call_id', 'name', 'arguments', 'status']);
  if (type === 'function_call_output') {
    const clean = pick(item, ['type', 'id', 'call_id', 'status']);
    return { ...clean, output: checkContent(item['output'], media) };
  }
  if (type === 'reasoning') {
    if (typeof item['encrypted_content'] !== 'string') {
      // without it there is only the id, by which OpenAI looks up what it has stored
      throw invalidBodyError(
        "input has reasoning by its id. Ask for it with include: ['reasoning.encrypted_content'], and send that.",
      );
    }
    return pick(item, ['type', 'id', 'summary', 'content', 'encrypted_content', 'status']);
  }
  if (type === 'item_reference') {
    throw invalidBodyError(
      'input refers to an item by its id, but the provider stores nothing. Send the item itself: in the AI SDK, providerOptions: { openai: { store: false } }.',
    );
  }
  throw invalidBodyError('input has an item of a type that is not forwarded.');
}

function checkContent(content: unknown, media: Media): unknown {
  if (typeof content === 'string') return content;
  return objectsOf(content, 'content').map((part) => {
    const { type } = part;
    if (type === 'input_text') return pick(part, ['type', 'text']);
    // annotations name files and pages, which are of no use to the model
    if (type === 'output_text') return { ...pick(part, ['type', 'text']), annotations: [] };
    if (type === 'refusal') return pick(part, ['type', 'refusal']);
    if (part['file_id'] !== undefined && part['file_id'] !== null) {
      throw invalidBodyError('A file by its id is refused. Send the file itself.');
    }
    if (type === 'input_image') {
      return { ...pick(part, ['type', 'detail']), image_url: dataUrl(part['image_url'], 'image_url', media) };
    }
    if (type === 'input_file') {
      return {
        ...pick(part, ['type', 'filename']),
        file_data: dataUrl(part['file_data'], 'file_data', media),
      };
    }
    throw invalidBodyError('input has a part of a type that is not forwarded.');
  });
}
