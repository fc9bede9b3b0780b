import { expect, test } from 'vitest';
import { ask, base, chatBody, fixture, parts } from './support.ts';

type Attack = [name: string, status: number, request: Parameters<typeof ask>[0]];

const evil = 'https://evil.example/x';
const internal = 'http://169.254.169.254/latest/meta-data';
const chat = (more: object): Parameters<typeof ask>[0] => ({ body: { ...chatBody, ...more } });
const content = (...parts: unknown[]): Parameters<typeof ask>[0] =>
  chat({ messages: [{ role: 'user', content: parts }] });
const responses = (more: object): Parameters<typeof ask>[0] => ({
  path: '/openai/responses',
  body: { model: 'gpt-x', input: 'Hi', ...more },
});
const item = (...input: unknown[]): Parameters<typeof ask>[0] => responses({ input });
const anthropic = (more: object): Parameters<typeof ask>[0] => ({
  path: '/anthropic/messages',
  body: { model: 'claude-x', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], ...more },
});
const block = (...content: unknown[]): Parameters<typeof ask>[0] =>
  anthropic({ messages: [{ role: 'user', content }] });
const google = (more: object): Parameters<typeof ask>[0] => ({
  path: '/google/models/gemini-x:generateContent',
  body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...more },
});
const part = (...parts: unknown[]): Parameters<typeof ask>[0] => google({ contents: [{ parts }] });
const header = (headers: Record<string, string | undefined>): Parameters<typeof ask>[0] => ({ headers });
const path = (path: string, body?: unknown): Parameters<typeof ask>[0] => ({
  path,
  ...(body === undefined ? {} : { body }),
});
const megabytes = (count: number): string[] => Array.from({ length: count * 16 }, () => 'x'.repeat(1 << 16));

const attacks: Attack[] = [
  // where it goes
  ['path: encoded slash', 404, path('/openai%2Fchat/completions')],
  ['path: encoded slash behind the provider', 404, path('/openai/chat%2Fcompletions')],
  ['path: encoded letter', 404, path('/openai/chat/%63ompletions')],
  ['path: encoded dots', 404, path('/openai/%2e%2e/files')],
  ['path: dots out of the base', 404, path('/../../admin')],
  ['path: doubly encoded dots', 404, path('/openai/%252e%252e/chat/completions')],
  ['path: double slash', 404, path('//openai/chat/completions')],
  ['path: double slash inside', 404, path('/openai//chat/completions')],
  ['path: slash at the end', 404, path('/openai/chat/completions/')],
  ['path: dot at the end', 404, path('/openai/chat/completions.')],
  ['path: more behind it', 404, path('/openai/chat/completions/../../files')],
  ['path: parameter', 404, path('/openai/chat/completions;v=2')],
  ['path: another case', 404, path('/OpenAI/chat/completions')],
  ['path: encoded backslash', 404, path('/openai%5Cchat/completions')],
  ['path: encoded zero', 404, path('/openai/chat/completions%00')],
  ['path: encoded line break', 404, path('/openai/chat/completions%0d%0aHost:evil')],
  ['path: another address', 404, path(`/openai/${internal}`)],
  ['path: another address as the provider', 404, path('/https:/evil.example/v1/chat/completions')],
  ['path: name of an inherited property', 404, path('/__proto__/chat/completions')],
  ['path: constructor', 404, path('/constructor/chat/completions')],
  ['path: another path of the API', 404, path('/openai/files')],
  ['path: the base alone', 404, path('/')],
  ['path: base with more letters', 404, path(base.replace('models', 'models2') + '/openai/chat/completions')],
  ['path: a path of another provider', 404, path('/anthropic/chat/completions')],
  ['path: address of the model list', 404, path('/google/models')],
  ['path: model with a slash', 404, path('/google/models/a/b:generateContent', {})],
  ['path: model with encoded dots', 404, path('/google/models/%2e%2e%2ffiles:generateContent', {})],
  ['path: model that is no name', 404, path('/google/models/..:generateContent', {})],
  ['path: the pattern itself', 404, path('/google/models/{model}:generateContent', {})],
  ['path: another method of a model', 404, path('/google/models/gemini-x:countTokens', {})],
  ['path: behind a #', 404, path('/openai/chat/completions#/health')],
  ['query: a key', 400, path('/google/models/gemini-x:generateContent?key=AIza', {})],
  ['query: another address', 400, path(`/openai/chat/completions?base_url=${evil}`)],
  ['query: alt twice', 400, path('/google/models/gemini-x:streamGenerateContent?alt=sse&alt=json', {})],
  // who asks
  ['origin: null', 403, header({ origin: 'null' })],
  ['origin: with the name in front', 403, header({ origin: 'https://play.example.evil.example' })],
  ['origin: with the name behind', 403, header({ origin: 'https://evil-play.example' })],
  ['origin: a name in front of the host', 403, header({ origin: 'https://play.example@evil.example' })],
  ['origin: another scheme', 403, header({ origin: 'http://play.example' })],
  ['origin: another port', 403, header({ origin: 'https://play.example:8443' })],
  ['origin: a slash more', 403, header({ origin: 'https://play.example/' })],
  ['origin: two', 403, header({ origin: 'https://play.example, https://evil.example' })],
  ['origin: capitals', 403, header({ origin: 'https://PLAY.example' })],
  ['origin: empty', 403, header({ origin: '' })],
  ['origin: left out by a page', 403, header({ origin: undefined, 'sec-fetch-site': 'cross-site' })],
  ['host: forged', 403, header({ host: 'evil.example', origin: 'https://evil.example' })],
  [
    'host: forwarded',
    403,
    header({ 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example', origin: evil }),
  ],
  ['auth: none', 401, header({ authorization: undefined })],
  ['auth: two', 401, header({ authorization: 'Bearer eve, Bearer ada' })],
  [
    'auth: in the header of a provider',
    401,
    header({ authorization: undefined, 'x-api-key': 'ada', 'x-goog-api-key': 'ada' }),
  ],
  ['method: HEAD', 405, { method: 'HEAD' }],
  ['method: DELETE', 405, { method: 'DELETE' }],
  ['method: overridden', 405, { method: 'PUT', headers: { 'x-http-method-override': 'POST' } }],
  ['method: OPTIONS that is no preflight', 405, { method: 'OPTIONS', headers: { origin: undefined } }],
  // how it is sent
  ['body: chunked, too large', 413, { body: () => parts(megabytes(2)) }],
  ['body: chunked, without an end', 413, { body: () => parts(megabytes(2), 'hang') }],
  ['body: told too short', 413, { body: () => parts(megabytes(2)), headers: { 'content-length': '10' } }],
  ['body: told too long', 413, header({ 'content-length': '99999999' })],
  ['body: told another length', 400, header({ 'content-length': '10' })],
  ['body: length that is none', 400, header({ 'content-length': '-1' })],
  ['body: length twice', 400, header({ 'content-length': '10, 11' })],
  ['body: two framings', 400, header({ 'content-length': '60', 'transfer-encoding': 'chunked' })],
  ['body: packed twice', 415, header({ 'content-encoding': 'identity, gzip' })],
  ['body: a form', 415, header({ 'content-type': 'application/x-www-form-urlencoded' })],
  ['body: two types', 415, header({ 'content-type': 'text/plain, application/json' })],
  ['body: UTF-7', 415, header({ 'content-type': 'application/json; charset=utf-7' })],
  ['body: breaks off', 400, { body: () => parts(['{"model":'], 'error') }],
  ['body: deep', 400, { body: `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}` }],
  ['body: deep, never closed', 400, { body: '['.repeat(500_000) }],
  ['body: an array', 400, { body: [chatBody] }],
  ['body: a text', 400, { body: '"gpt-x"' }],
  // for which model
  ['model: array', 400, chat({ model: ['gpt-x'] })],
  ['model: object', 400, chat({ model: { toString: 'gpt-x' } })],
  ['model: number', 400, chat({ model: 0 })],
  [
    'model: written twice, the second counts',
    403,
    { body: '{"model":"gpt-x","model":"gpt-z","messages":[]}' },
  ],
  ['model: with a space', 403, chat({ model: 'gpt-x ' })],
  ['model: another provider', 403, chat({ model: 'claude-x' })],
  ['model: with a path', 403, chat({ model: '../gpt-x' })],
  ['model: inherited', 403, chat({ model: '__proto__' })],
  ['model: google, another', 403, path('/google/models/gemini-ultra:generateContent', {})],
  // what the provider would do by itself
  ['tool: web search as a field', 403, chat({ web_search_options: {} })],
  ['tool: custom', 403, chat({ tools: [{ type: 'custom', custom: { name: 'x' } }] })],
  ['tool: behind a function', 403, chat({ tools: [{ type: 'function', function: {} }, { type: 'mcp' }] })],
  ['tool: no array', 400, chat({ tools: { type: 'web_search' } })],
  ['tool: chosen', 403, chat({ tool_choice: { type: 'mcp', server_label: 'x' } })],
  ['tool: responses, web search', 403, responses({ tools: [{ type: 'web_search_preview' }] })],
  ['tool: responses, MCP', 403, responses({ tools: [{ type: 'mcp', server_url: evil }] })],
  ['tool: responses, code', 403, responses({ tools: [{ type: 'code_interpreter', container: 'x' }] })],
  [
    'tool: responses, files',
    403,
    responses({ tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }),
  ],
  ['tool: responses, chosen', 403, responses({ tool_choice: { type: 'web_search' } })],
  [
    'tool: responses, allowed',
    403,
    responses({ tool_choice: { type: 'allowed_tools', tools: [{ type: 'mcp' }] } }),
  ],
  ['tool: anthropic, web search', 403, anthropic({ tools: [{ type: 'web_search_20250305', name: 'w' }] })],
  ['tool: anthropic, code', 403, anthropic({ tools: [{ type: 'code_execution_20250825', name: 'c' }] })],
  ['tool: anthropic, MCP', 403, anthropic({ mcp_servers: [{ type: 'url', url: evil }] })],
  ['tool: anthropic, container', 403, anthropic({ container: 'container_1' })],
  ['tool: google, search', 403, google({ tools: [{ googleSearch: {} }] })],
  ['tool: google, in snake_case', 403, google({ tools: [{ google_search: {} }] })],
  ['tool: google, URLs', 403, google({ tools: [{ urlContext: {} }] })],
  [
    'tool: google, code beside functions',
    403,
    google({ tools: [{ functionDeclarations: [], codeExecution: {} }] }),
  ],
  // what the provider would fetch, or has
  ['file: image by URL', 400, content({ type: 'image_url', image_url: { url: internal } })],
  ['file: image by URL as text', 400, content({ type: 'image_url', image_url: evil })],
  ['file: URL behind a space', 400, content({ type: 'image_url', image_url: { url: ` ${evil}` } })],
  ['file: file: URL', 400, content({ type: 'image_url', image_url: { url: 'file:///etc/passwd' } })],
  ['file: data: URL that is none', 400, content({ type: 'image_url', image_url: { url: `data:,${evil}` } })],
  [
    'file: URL behind a data: URL',
    400,
    content({ type: 'image_url', image_url: { url: `data:image/png;base64,AAAA\n${evil}` } }),
  ],
  ['file: URL in an array', 400, content({ type: 'image_url', image_url: { url: [evil] } })],
  ['file: id', 400, content({ type: 'file', file: { file_id: 'file-1' } })],
  ['file: document by URL', 400, content({ type: 'document_url', document_url: evil })],
  ['file: part of another type', 400, content({ type: 'video_url', video_url: { url: evil } })],
  [
    'file: image by URL among thoughts',
    400,
    content({ type: 'thinking', thinking: [{ type: 'image_url', image_url: evil }] }),
  ],
  ['file: audio by id', 400, chat({ messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] })],
  ['file: content is an object', 400, chat({ messages: [{ role: 'user', content: { type: 'image_url' } }] })],
  [
    'file: responses, image by URL',
    400,
    item({ role: 'user', content: [{ type: 'input_image', image_url: evil }] }),
  ],
  [
    'file: responses, file by URL',
    400,
    item({ role: 'user', content: [{ type: 'input_file', file_url: evil }] }),
  ],
  [
    'file: responses, image by id',
    400,
    item({ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }),
  ],
  [
    'file: responses, in what a tool gave',
    400,
    item({ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file', file_url: evil }] }),
  ],
  ['file: anthropic, by URL', 400, block({ type: 'image', source: { type: 'url', url: evil } })],
  ['file: anthropic, by id', 400, block({ type: 'document', source: { type: 'file', file_id: 'f' } })],
  [
    'file: anthropic, in what a tool gave',
    400,
    block({
      type: 'tool_result',
      tool_use_id: 't',
      content: [{ type: 'image', source: { type: 'url', url: evil } }],
    }),
  ],
  [
    'file: anthropic, in a document',
    400,
    block({
      type: 'document',
      source: { type: 'content', content: [{ type: 'image', source: { type: 'url', url: evil } }] },
    }),
  ],
  [
    'file: anthropic, in the system text',
    400,
    anthropic({ system: [{ type: 'image', source: { type: 'url' } }] }),
  ],
  ['file: anthropic, container upload', 400, block({ type: 'container_upload', file_id: 'f' })],
  ['file: google, by URL', 400, part({ fileData: { fileUri: evil } })],
  ['file: google, in snake_case', 400, part({ file_data: { file_uri: evil } })],
  ['file: google, beside a text', 400, part({ text: 'Hi', fileData: { fileUri: evil } })],
  [
    'file: google, in the system text',
    400,
    google({ systemInstruction: { parts: [{ fileData: { fileUri: evil } }] } }),
  ],
  [
    'file: google, in what a tool gave',
    400,
    part({ functionResponse: { name: 'f', response: {}, parts: [{ fileData: { fileUri: evil } }] } }),
  ],
  [
    'schema: somewhere else',
    400,
    chat({ tools: [{ type: 'function', function: { name: 'f', parameters: { $ref: internal } } }] }),
  ],
  [
    'schema: of the answer',
    400,
    chat({ response_format: { json_schema: { schema: { items: [{ $dynamicRef: evil }] } } } }),
  ],
  ['schema: responses', 400, responses({ text: { format: { schema: { $ref: 'file:///etc/passwd' } } } })],
  ['schema: anthropic', 400, anthropic({ tools: [{ name: 'f', input_schema: { $ref: evil } }] })],
  [
    'schema: google',
    400,
    google({ generationConfig: { responseJsonSchema: { properties: { a: { $ref: evil } } } } }),
  ],
  // what is kept at the provider, of everybody
  ['kept: answer', 400, responses({ previous_response_id: 'resp_1' })],
  ['kept: conversation', 400, responses({ conversation: 'conv_1' })],
  ['kept: prompt', 400, responses({ prompt: { id: 'pmpt_1' } })],
  ['kept: item', 400, item({ type: 'item_reference', id: 'msg_1' })],
  ['kept: reasoning by its id', 400, item({ type: 'reasoning', id: 'rs_1', summary: [] })],
  ['kept: call of an MCP server', 400, item({ type: 'mcp_approval_response', approved: true })],
  ['kept: cache', 400, google({ cachedContent: 'cachedContents/1' })],
  // what it would cost
  ['cost: many answers', 400, chat({ n: 50 })],
  ['cost: many answers as text', 400, chat({ n: '50' })],
  ['cost: best of many', 400, chat({ best_of: 20 })],
  ['cost: many candidates', 400, google({ generationConfig: { candidateCount: 8 } })],
  ['cost: many candidates in snake_case', 400, google({ generationConfig: { candidate_count: 8 } })],
  ['cost: length as text', 400, chat({ max_tokens: '1e9' })],
  ['cost: length below zero', 400, chat({ max_completion_tokens: -1 })],
  ['cost: length in an array', 400, responses({ max_output_tokens: [1] })],
  ['cost: length that is no whole number', 400, anthropic({ max_tokens: 0.5 })],
  ['cost: in the background', 400, responses({ background: true })],
  ['cost: other models', 400, anthropic({ fallbacks: [{ model: 'claude-opus' }] })],
  ['cost: stream as text', 400, chat({ stream: 'true' })],
];

/** A body that can be read once is made for each request. */
function send(request: Parameters<typeof ask>[0]): Request {
  const { body } = request ?? {};
  return ask(typeof body === 'function' ? { ...request, body: (body as () => unknown)() } : request);
}

test.each(attacks)('%s: %i', async (_, status, request) => {
  const { proxy, sent, store, events } = fixture();
  const response = await proxy(send(request));
  expect([response.status, sent, store]).toEqual([status, [], []]);
  expect(events.map(({ type }) => type)).toEqual(['refused']);
});

test.each<[string, string]>([
  ['openai', '/openai/chat/completions'],
  ['openai, responses', '/openai/responses'],
  ['anthropic', '/anthropic/messages'],
  ['google', '/google/models/gemini-x:generateContent'],
  ['mistral', '/mistral/chat/completions'],
])('a URL in any field of a body of %s does not change the destination', async (_, path) => {
  const addresses = {
    api_base: evil,
    base_url: evil,
    baseURL: evil,
    api_key: 'k',
    url: evil,
    endpoint: evil,
    organization: 'org',
    extra_headers: { host: 'evil.example' },
    extra_body: { tools: [{ type: 'web_search' }] },
    webhook_url: evil,
    __proto__: { model: 'x' },
  };
  const model = path.includes('anthropic') ? 'claude-x' : path.includes('mistral') ? 'mistral-x' : 'gpt-x';
  const { proxy, sent } = fixture(() => Response.json({}));
  const messages = [{ role: 'user', content: 'Hi' }];
  const contents = [{ parts: [{ text: 'Hi' }] }];
  const response = await proxy(
    ask({
      path,
      body: { model, messages, input: 'Hi', contents, ...addresses },
      headers: {
        'x-forwarded-host': 'evil.example',
        'x-upstream-url': evil,
        'openai-organization': 'org',
        cookie: 'a=b',
      },
    }),
  );
  expect(response.status).toBe(200);
  expect(sent).toHaveLength(1);
  expect(JSON.stringify(sent)).not.toMatch(/evil|org|web_search|cookie|ada/);
});
