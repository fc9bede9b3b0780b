import type { PromptDefinition } from '@cueline/core';
import { CuelineError } from '@cueline/core';
import type { EvalPrices } from '@cueline/core/evals';
import type { ConnectionSettings } from '../model/connection.ts';
import { libraryOf, toInput } from '../prompts/check-prompts.ts';
import type { EditablePrompt } from '../prompts/editable-prompt.ts';
import { changeSince } from '../prompts/ran-prompt-note.tsx';
import { formatCount, plural } from '../ui/format.ts';
import { MAX_RUNS, type EditableCase, type EvalSettings } from './eval-settings.ts';

/** What an evaluation runs, or why it cannot start. */
export type EvalPlan =
  | {
      /** One prompt for each version, with the values of its own parameters. */
      evals: readonly { prompt: PromptDefinition<Record<string, string>>; cases: readonly EditableCase[] }[];
      /** Ids of models; undefined stands for the connection's own model. */
      models: readonly (string | undefined)[];
      prices: EvalPrices | undefined;
      /** How many runs it makes. */
      runs: number;
      /** How many model calls the judge makes for them. */
      judgeCalls: number;
    }
  | { problem: string };

/** Checks an eval against the prompts of the Prompts view. */
export function planEval(
  settings: EvalSettings,
  prompts: readonly EditablePrompt[],
  connection: ConnectionSettings,
): EvalPlan {
  const own = prompts.filter(({ id }) => id === settings.prompt);
  if (own.length === 0) return { problem: `There is no prompt ${settings.prompt}. Choose one.` };
  const [missing] = missingVersions(settings, own);
  if (missing !== undefined)
    return { problem: `There is no version ${missing} of ${settings.prompt}. Choose another in its place.` };
  const versions = own.filter((prompt) => isChosen(settings, prompt));
  if (versions.length === 0) return { problem: 'Choose a version to run.' };
  const repeated = versions.find(
    ({ version }, index) => versions.findIndex((other) => other.version === version) < index,
  );
  if (repeated !== undefined)
    return {
      problem: `There are two versions ${repeated.version} of ${settings.prompt}. Rename one in the Prompts view.`,
    };
  const read = versions.map((prompt) => ({ prompt, known: libraryOf(prompt) }));
  const faulty = read.find(({ known }) => known === undefined);
  if (faulty !== undefined) {
    return { problem: `Version ${faulty.prompt.version} has faults. Correct it in the Prompts view.` };
  }
  if (settings.cases.length === 0) return { problem: 'This eval has no cases. Add one.' };
  const ids = settings.cases.map(({ id }) => id);
  if (ids.includes('')) return { problem: 'A case has no name. Name it.' };
  const twice = ids.find((id, index) => ids.indexOf(id) < index);
  if (twice !== undefined) return { problem: `Two cases are called ${twice}. Rename one.` };
  const judge = settings.scorers.find(({ kind, value }) => kind === 'judge' && value.trim() === '');
  if (judge !== undefined) return { problem: 'The judge has no rubric. Describe a good answer in it.' };
  const unscorable = problemOfScorers(settings);
  if (unscorable !== undefined) return { problem: unscorable };
  const prices = readPrices(settings, connection);
  if (prices instanceof CuelineError) return { problem: prices.message };
  const models = [undefined, ...furtherModels(settings, connection)];
  const runs = settings.cases.length * versions.length * models.length * settings.repeat;
  if (runs > MAX_RUNS) {
    return {
      problem: `This eval needs ${formatCount(runs)} runs, and a page makes at most ${formatCount(MAX_RUNS)}. Remove cases, versions, models or repeats, or use the command cueline eval.`,
    };
  }
  return {
    evals: read.map(({ known }) => {
      const { library, prompt } = known!;
      return {
        prompt: library.definePrompt(`${prompt.id}@${prompt.version}`) as PromptDefinition<
          Record<string, string>
        >,
        cases: settings.cases.map((one) => ({ ...one, input: toInput(prompt, one.input) })),
      };
    }),
    models,
    prices,
    runs,
    judgeCalls: runs * settings.scorers.filter(({ kind }) => kind === 'judge').length,
  };
}

/** Returns in one line what an evaluation runs, or why it cannot start. */
export function describePlan(plan: EvalPlan): string {
  if ('problem' in plan) return plan.problem;
  const { runs, judgeCalls } = plan;
  const judging = judgeCalls === 0 ? '' : ` and ${plural(judgeCalls, 'call')} of the judge`;
  return `${plural(runs, 'run')}${judging}`;
}

/** The chosen versions that `prompts` lacks, because they were renamed or deleted. */
export function missingVersions(
  { versions }: EvalSettings,
  prompts: readonly EditablePrompt[],
): readonly string[] {
  return versions.filter((one) => !prompts.some(({ version }) => version === one));
}

/** True for a version that the eval runs. */
export function isChosen({ prompt, versions }: EvalSettings, { id, version }: EditablePrompt): boolean {
  return id === prompt && versions.includes(version);
}

/** Returns what a scorer lacks: without it, the scorer would pass or fail every answer. */
function problemOfScorers({ scorers, cases }: EvalSettings): string | undefined {
  for (const { kind, value } of scorers) {
    if (kind === 'closeTo') {
      if (!(Number(value) >= 0 && Number(value) < Infinity))
        return `The largest difference ${value} is not a number. Write one such as 0.5.`;
      const other = cases.find(({ expect }) => expect.trim() === '' || !Number.isFinite(Number(expect)));
      if (other !== undefined)
        return `The expected answer of ${other.id} is not a number. Write one such as 1200.5.`;
    }
    if ((kind === 'contains' && value.trim() === '') || (kind === 'matches' && value === '')) {
      const other = cases.find(({ expect }) => expect.trim() === '');
      const what = kind === 'contains' ? 'text' : 'pattern';
      if (other !== undefined)
        return `${other.id} has no expected answer. Write one, or a ${what} for all cases.`;
    }
  }
  return undefined;
}

/** True if a version that ran has other texts or parameters now, or is gone. */
export function areOutdated(ran: readonly EditablePrompt[], now: readonly EditablePrompt[]): boolean {
  return ran.some((prompt) => {
    const same = now.find(({ id, version }) => id === prompt.id && version === prompt.version);
    return same === undefined || changeSince(prompt, same) !== undefined;
  });
}

/** The connection's further models: the demo connection has one, other connections any. */
export function furtherModels({ models }: EvalSettings, connection: ConnectionSettings): string[] {
  const own = connection.kind === 'demo' ? '' : connection[connection.kind].model.trim();
  const usable = models.map((id) => id.trim()).filter((id) => id !== '' && id !== own);
  return [...new Set(usable.filter((id) => (connection.kind === 'demo') === (id === 'demo-small')))];
}

/** The models that belong to other connections, which stay when those of this one are edited. */
export function otherModels({ models }: EvalSettings, connection: ConnectionSettings): string[] {
  return models.filter((id) => (connection.kind === 'demo') !== (id === 'demo-small'));
}

/** The id of the connection's own model. */
export function ownModel(connection: ConnectionSettings): string {
  return connection.kind === 'demo' ? 'demo' : connection[connection.kind].model.trim();
}

function readPrices(
  settings: EvalSettings,
  connection: ConnectionSettings,
): EvalPrices | undefined | CuelineError {
  const prices: Record<string, { input: number; output: number }> = {};
  for (const id of [ownModel(connection), ...furtherModels(settings, connection)]) {
    const price = Object.hasOwn(settings.prices, id) ? settings.prices[id] : undefined;
    if (price === undefined || (price.input.trim() === '' && price.output.trim() === '')) continue;
    const missing = (['input', 'output'] as const).find((side) => price[side].trim() === '');
    if (missing !== undefined) {
      return new CuelineError(
        'invalid_options',
        `The price of ${id} has no ${missing}. Write it, or 0 if it costs nothing.`,
      );
    }
    const [input, output] = [Number(price.input), Number(price.output)];
    if (!(input >= 0 && output >= 0 && input < Infinity && output < Infinity)) {
      return new CuelineError(
        'invalid_options',
        `The price of ${id} is not a number. Write dollars per million tokens, such as 0.25.`,
      );
    }
    prices[id] = { input, output };
  }
  return Object.keys(prices).length === 0 ? undefined : prices;
}
