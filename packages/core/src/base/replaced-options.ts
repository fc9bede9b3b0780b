/** The current name of an option, and how to write it. */
type Successor = { name: string; write: string };

const maxOutputTokens: Successor = { name: 'maxOutputTokens', write: 'maxOutputTokens: 1000' };
const stopWhen: Successor = {
  name: 'stopWhen',
  write: 'stopWhen: isStepCount(5)',
};
const steps: readonly Successor[] = [{ name: 'maxTurns', write: 'maxTurns: 5' }, stopWhen];
const output: readonly Successor[] = [
  { name: 'responseSchema', write: 'responseSchema: z.object({ … })' },
  { name: 'output', write: 'output: Output.object({ schema })' },
];
const messages: readonly Successor[] = [
  { name: 'initialMessages', write: 'initialMessages: [ … ]' },
  { name: 'messages', write: "messages: [{ role: 'user', content: '…' }]" },
];
const system: readonly Successor[] = [{ name: 'systemPrompt', write: "systemPrompt: 'You are …'" }];
const providerOptions: readonly Successor[] = [
  { name: 'providerOptions', write: 'providerOptions: { openai: { … } }' },
];
const signal: readonly Successor[] = [
  { name: 'abortSignal', write: 'abortSignal: controller.signal' },
  { name: 'signal', write: 'signal: controller.signal' },
];

/**
 * Options by their names in earlier versions of the AI SDK and in other libraries, without `experimental_`,
 * underscores and upper case. The first successor that a list of options has is suggested.
 */
const successors: Readonly<Record<string, readonly Successor[]>> = {
  maxtokens: [maxOutputTokens],
  maxcompletiontokens: [maxOutputTokens],
  maxsteps: steps,
  maxtoolroundtrips: steps,
  maxautomaticroundtrips: steps,
  maxiterations: steps,
  maxturns: [stopWhen],
  output,
  schema: output,
  outputschema: output,
  responseschema: output,
  responseformat: output,
  prompt: messages,
  messages,
  system,
  instructions: system,
  providermetadata: providerOptions,
  paralleltoolcalls: providerOptions,
  functions: [{ name: 'tools', write: 'tools: { … }' }],
  thinking: [{ name: 'reasoning', write: "reasoning: 'medium'" }],
  stop: [{ name: 'stopSequences', write: "stopSequences: ['…']" }],
  signal,
  abortsignal: signal,
  abortcontroller: signal,
  ontoolcall: [{ name: 'onToolExecutionStart', write: 'onToolExecutionStart: (event) => …' }],
  ontoolcallstart: [{ name: 'onToolExecutionStart', write: 'onToolExecutionStart: (event) => …' }],
  ontoolcallfinish: [{ name: 'onToolExecutionEnd', write: 'onToolExecutionEnd: (event) => …' }],
  context: [{ name: 'runtimeContext', write: 'runtimeContext: { … }' }],
};

/** Removed options, by the same keys, with the reason. */
const dropped: Readonly<Record<string, string>> = {
  toolcallstreaming: 'Tool calls are always streamed. Leave it out.',
  continuesteps: 'The AI SDK has removed it. Leave it out.',
};

/**
 * Returns the known option that has replaced an unknown name, or that other libraries call by that name; undefined if
 * there is none.
 */
export function successorOf(name: string, known: readonly string[]): Successor | undefined {
  const stable = name.replace(/^experimental_/, '');
  for (const other of [stable, `experimental_${name}`]) {
    if (other !== name && known.includes(other)) return { name: other, write: `${other}: …` };
  }
  const key = lookupKey(name);
  if (!Object.hasOwn(successors, key)) return undefined;
  return successors[key]?.find((successor) => known.includes(successor.name));
}

/** Returns why a former option of model calls has no successor. */
export function whyDropped(name: string): string | undefined {
  const key = lookupKey(name);
  return Object.hasOwn(dropped, key) ? dropped[key] : undefined;
}

function lookupKey(name: string): string {
  return name
    .replace(/^experimental_/, '')
    .replaceAll('_', '')
    .toLowerCase();
}
