import compareBuild from 'semver/functions/compare-build.js';
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import { CuelineError } from '../base/errors.ts';
import { nearestName } from '../base/nearest-name.ts';
import { quoteValue } from '../base/quote-value.ts';
import type { LibraryPrompt } from './prompt-record.ts';

/** The versions of each prompt, the newest first. */
export type PromptVersions = ReadonlyMap<string, readonly LibraryPrompt[]>;

/** Sorts prompts by id and version. */
export function groupVersions(prompts: readonly LibraryPrompt[]): PromptVersions {
  const versions = new Map<string, LibraryPrompt[]>();
  for (const prompt of prompts) versions.set(prompt.id, [...(versions.get(prompt.id) ?? []), prompt]);
  for (const [id, all] of versions) {
    versions.set(
      id,
      all.toSorted((one, other) => compareBuild(other.version, one.version)),
    );
  }
  return versions;
}

/** Splits `greet@^2` into its id and range; the range is `latest` if there is none. */
export function splitReference(reference: string): [id: string, range: string] {
  const at = reference.indexOf('@');
  return at === -1 ? [reference, 'latest'] : [reference.slice(0, at), reference.slice(at + 1)];
}

/**
 * Returns the newest version that the range allows. An exact version finds any status. A range and `latest` choose
 * among the active versions, or among the deprecated ones if none is active.
 * @throws CuelineError `unknown_prompt`, `invalid_options`
 */
export function findVersion(all: PromptVersions, id: string, range: string): LibraryPrompt {
  if (typeof id !== 'string' || typeof range !== 'string') {
    throw new CuelineError(
      'invalid_options',
      `Name a prompt by its id and version, such as 'greet' and '^2', not by ${quoteValue(typeof id === 'string' ? range : id)}.`,
    );
  }
  const versions = all.get(id);
  if (versions === undefined) throw unknownIdError(all, id);
  const wanted = range.trim();
  const exact = versions.find(({ version }) => version === wanted);
  if (exact !== undefined) return exact;
  const isWithin = rangeOf(wanted);
  const fitting = versions.filter(({ version }) => isWithin(version));
  const found =
    fitting.find(({ status }) => status === 'active') ??
    fitting.find(({ status }) => status === 'deprecated');
  if (found !== undefined) return found;
  throw unknownVersionError(id, wanted, versions);
}

/** Returns the newest active version of a prompt, if it has one, as `latest` finds it: prereleases are left out. */
export function newestActive(versions: readonly LibraryPrompt[]): LibraryPrompt | undefined {
  const isWithin = rangeOf('latest');
  return versions.find(({ status, version }) => status === 'active' && isWithin(version));
}

/** @throws CuelineError `invalid_options` */
function rangeOf(text: string): (version: string) => boolean {
  const range = validRange(text === 'latest' ? '*' : text);
  if (range !== null) return (version) => satisfies(version, range);
  throw new CuelineError(
    'invalid_options',
    `${quoteValue(text)} is not a version. Write one such as '1.2.3', a range such as '^1.2', or 'latest'.`,
  );
}

/** How many names an error lists. */
const LISTED = 20;

function unknownIdError(all: PromptVersions, id: string): CuelineError {
  const ids = [...all.keys()];
  const nearest = nearestName(id, ids);
  const advice =
    ids.length === 0
      ? 'The library is empty.'
      : nearest === undefined
        ? `There are: ${listed(ids)}.`
        : `Did you mean ${quoteValue(nearest)}?`;
  return new CuelineError('unknown_prompt', `The library has no prompt ${quoteValue(id)}. ${advice}`, {
    details: { id, ...(nearest === undefined ? {} : { nearest }) },
  });
}

function unknownVersionError(id: string, range: string, versions: readonly LibraryPrompt[]): CuelineError {
  const names = versions.map(({ version, status }) =>
    status === 'active' ? version : `${version} (${status})`,
  );
  const isWithin = rangeOf(range);
  const draft = versions.find(({ status, version }) => status === 'draft' && isWithin(version));
  const advice =
    draft === undefined ? '' : ` A draft is only found by its exact version: '${id}@${draft.version}'.`;
  return new CuelineError(
    'unknown_prompt',
    `Prompt ${quoteValue(id)} has no version ${quoteValue(range)}. There are: ${listed(names)}.${advice}`,
    { details: { id, range, versions: versions.slice(0, LISTED).map(({ version }) => version) } },
  );
}

function listed(names: readonly string[]): string {
  const more = names.length > LISTED ? `, and ${names.length - LISTED} more` : '';
  return names.slice(0, LISTED).join(', ') + more;
}

/** Returns the next minor version: `1.3.0` for `1.2.5`. */
export function nextVersion(version: string): string {
  const [major = '0', minor = '0'] = version.split('.');
  return `${major}.${Number(minor) + 1}.0`;
}
