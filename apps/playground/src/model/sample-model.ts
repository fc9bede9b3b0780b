import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { demoModel, scriptedModel } from '@cueline/core/testing';

/** The models that the demo connection has for prompts and evals. `demo-small` makes more mistakes. */
export type SampleModelId = 'demo' | 'demo-small';

/** Pauses of the simulated answers. `hurried`: without any, for tests. */
export type SampleModelOptions = { hurried?: boolean };

/**
 * A simulated model that classifies feedback by its words, as the sample prompts ask for: it answers with one word
 * only if the instructions say so. The demo model answers everything else.
 */
export function sampleModel(
  modelId: SampleModelId,
  { hurried = false }: SampleModelOptions = {},
): LanguageModelV4 {
  const demo = demoModel(hurried ? { pace: 0 } : {});
  let calls = 0;
  const modelFor = (call: LanguageModelV4CallOptions): LanguageModelV4 => {
    const answer = classifyRequest(call, modelId);
    if (answer === undefined) return demo;
    // uneven, like a real model, and the same every time
    const delay = 250 + ((calls++ * 137) % 400);
    return scriptedModel([hurried ? answer : [{ text: answer, delay }]]);
  };
  return {
    specificationVersion: 'v4',
    provider: 'simulated',
    modelId,
    supportedUrls: {},
    doStream: async (call) => modelFor(call).doStream(call),
    doGenerate: async (call) => modelFor(call).doGenerate(call),
  };
}

function classifyRequest(
  { prompt, tools }: LanguageModelV4CallOptions,
  modelId: SampleModelId,
): string | undefined {
  if (tools !== undefined && tools.length > 0) return undefined;
  const system = prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n');
  const last = prompt.findLast(({ role }) => role === 'user');
  const user =
    last?.role === 'user'
      ? last.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
      : '';
  if (prompt.length > 2 || !/POSITIVE/.test(system + user) || !/NEGATIVE/.test(system + user))
    return undefined;
  const feedback = user.slice(user.indexOf('\n\n') + 1);
  const label = classify(feedback, {
    complaintDecides: /complaint decides/i.test(system + user),
    readsNegation: modelId === 'demo',
  });
  return /exactly one word|only the label/i.test(system + user) ? label : `The feedback is ${label}.`;
}

const good = /\b(lovely|great|perfect|wonderful|excellent|friendly|delicious|clean|best|happy|thank)\w*/gi;
const bad = /\b(cold|dirty|rude|noisy|slow|broken|late|worst|bad|stain|never again)\w*/gi;

function classify(text: string, how: { complaintDecides: boolean; readsNegation: boolean }): string {
  const plain = how.readsNegation
    ? text.replaceAll(/\b(not|never|nothing|no)\s+(\w+\s+)?(bad|late|slow|dirty|rude)\w*/gi, 'great')
    : text;
  const praise = plain.match(good)?.length ?? 0;
  const complaints = plain.match(bad)?.length ?? 0;
  if (praise === 0 && complaints === 0) return 'NEUTRAL';
  if (praise > 0 && complaints > 0) {
    return how.complaintDecides || complaints > praise ? 'NEGATIVE' : 'POSITIVE';
  }
  return praise > 0 ? 'POSITIVE' : 'NEGATIVE';
}
