import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';

type Model = ReturnType<typeof scriptedModel>;
type Call = Parameters<Model['doStream']>[0];
type Answer = Awaited<ReturnType<Model['doStream']>>;
type Finish = Extract<Answer['stream'] extends ReadableStream<infer Part> ? Part : never, { type: 'finish' }>;

export type BillingOptions = {
  /** Tokens that it thinks before its first word, in each call, and does not show. */
  hidden?: number;
  /** What it reports in place of its bill. */
  report?: (bill: { input: number; output: number }) => Finish['usage'];
};

export type BillingModel = Model & {
  /** What its provider bills so far, in tokens. */
  billed(): number;
};

const usageOf = (input: number, output: number): Finish['usage'] => ({
  inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: output, text: output, reasoning: 0 },
});

/**
 * A scripted model whose provider bills each call from the moment that it is made, whatever becomes of it: a token
 * for each byte of text in the prompt and 10,000 for each picture, what the model thinks unseen, and a token for each
 * byte that it writes, all within `maxOutputTokens`. It continues to write after its reader has left.
 */
export function billingModel(
  turns: readonly ScriptedTurn[],
  { hidden = 0, report = ({ input, output }) => usageOf(input, output) }: BillingOptions = {},
): BillingModel {
  const inner = scriptedModel(turns);
  let sum = 0;
  const doStream: Model['doStream'] = async (call) => {
    const most = call.maxOutputTokens ?? Infinity;
    const input = inputOf(call);
    const bill = { input, output: Math.min(hidden, most) };
    sum += bill.input + bill.output;
    const answer = await inner.doStream(call);
    const stream = answer.stream.pipeThrough(
      new TransformStream({
        transform(part, controller) {
          if (part.type === 'finish') return controller.enqueue({ ...part, usage: report(bill) });
          if ('delta' in part) {
            const more = Math.min(Buffer.byteLength(part.delta), most - bill.output);
            bill.output += more;
            sum += more;
          }
          controller.enqueue(part);
        },
      }),
    );
    return { ...answer, stream };
  };
  return { ...inner, doStream, billed: () => sum };
}

function inputOf({ prompt, tools }: Call): number {
  let input = tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(tools)) / 2;
  const add = (value: unknown): void => {
    if (typeof value === 'string') input += Buffer.byteLength(value);
    else if (Array.isArray(value)) for (const item of value) add(item);
    else if (typeof value === 'object' && value !== null) {
      const { type, mediaType } = value as { type?: unknown; mediaType?: unknown };
      if (type === 'file' && String(mediaType).startsWith('image')) input += 10_000;
      else for (const [name, field] of Object.entries(value)) if (name !== 'providerOptions') add(field);
    }
  };
  for (const { content } of prompt) add(content);
  return Math.ceil(input);
}
