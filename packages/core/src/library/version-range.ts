import { compareVersions } from 'compare-versions';

/** A bound of a range. Its version has three numbers. */
type Comparator = { readonly operator: '>=' | '>' | '<' | '<=' | '='; readonly version: string };

/** The parts of a version or of the beginning of one: `1`, `1.2`, `1.x`, `v1.2.3-beta.1`. */
const partial: RegExp =
  /^v?(?:(\d+)|[x*])(?:\.(?:(\d+)|[x*]))?(?:\.(?:(\d+)|[x*])(?:-([\da-z.-]+))?(?:\+[\da-z.-]+)?)?$/i;

/**
 * Returns a function that tells whether a version is in the range, with npm's meaning: `1.2` is any `1.2.x`, and a
 * prerelease is in a range only if a bound names a prerelease of the same three numbers (https://github.com/npm/node-semver).
 * Undefined if the text is not a range.
 */
export function parseRange(range: string): ((version: string) => boolean) | undefined {
  const sets = range.split('||').map(parseSet);
  if (!sets.every((set) => set !== undefined)) return undefined;
  return (version) => sets.some((set) => isInSet(version, set));
}

/** Bounds that all hold, such as `>=1.2 <2`, or `1.2 - 1.4`. */
function parseSet(text: string): Comparator[] | undefined {
  const hyphen = /^\s*(\S+)\s+-\s+(\S+)\s*$/.exec(text);
  const words =
    hyphen === null
      ? // an operator may stand apart from its version
        text
          .replaceAll(/([<>=~^])\s+/g, '$1')
          .split(/\s+/)
          .filter((word) => word !== '')
      : [`>=${hyphen[1]}`, `<=${hyphen[2]}`];
  const bounds = words.map(parseBound);
  return bounds.every((bound) => bound !== undefined) ? bounds.flat() : undefined;
}

function parseBound(text: string): Comparator[] | undefined {
  const operator = /^(?:[<>]=?|[=~^])?/.exec(text)![0];
  const found = partial.exec(text.slice(operator.length));
  if (found === null) return undefined;
  const [major, second, third, tag] = found.slice(1) as (string | undefined)[];
  if (major === undefined) return operator === '<' || operator === '>' ? [below('0.0.0')] : [];
  return boundsOf(operator, {
    major: Number(major),
    minor: second === undefined ? undefined : Number(second),
    // what follows an open number is open, too
    patch: second === undefined || third === undefined ? undefined : Number(third),
    tag,
  });
}

type PartialVersion = {
  readonly major: number;
  readonly minor: number | undefined;
  readonly patch: number | undefined;
  readonly tag: string | undefined;
};

function boundsOf(operator: string, { major, minor, patch, tag }: PartialVersion): Comparator[] {
  const prerelease = tag === undefined || patch === undefined ? '' : `-${tag}`;
  const version = `${major}.${minor ?? 0}.${patch ?? 0}${prerelease}`;
  const next =
    minor === undefined ? `${major + 1}.0.0` : patch === undefined ? `${major}.${minor + 1}.0` : undefined;
  const from: Comparator = { operator: '>=', version };
  switch (operator) {
    case '>=':
      return [from];
    case '>':
      return [next === undefined ? { operator, version } : { operator: '>=', version: next }];
    case '<':
      return [next === undefined ? { operator, version } : below(version)];
    case '<=':
      return [next === undefined ? { operator, version } : below(next)];
    case '~':
      return [from, below(minor === undefined ? `${major + 1}.0.0` : `${major}.${minor + 1}.0`)];
    case '^':
      return [from, below(firstIncompatible(major, minor, patch))];
    default:
      return next === undefined ? [{ operator: '=', version }] : [from, below(next)];
  }
}

/** The version after which `^` ends: the leftmost number that is not 0 stays. */
function firstIncompatible(major: number, minor: number | undefined, patch: number | undefined): string {
  if (major > 0 || minor === undefined) return `${major + 1}.0.0`;
  return minor > 0 || patch === undefined ? `0.${minor + 1}.0` : `0.0.${patch + 1}`;
}

/** Excludes the prereleases of the version, too. */
function below(version: string): Comparator {
  return { operator: '<', version: `${version}-0` };
}

function isInSet(version: string, set: readonly Comparator[]): boolean {
  const numbers = version.split(/[-+]/, 1)[0]!;
  const isPrerelease = version.slice(numbers.length).startsWith('-');
  if (isPrerelease && !set.some((bound) => bound.version.startsWith(`${numbers}-`))) return false;
  return set.every(({ operator, version: bound }) => {
    const order = compareVersions(version, bound);
    return order === 0
      ? operator.endsWith('=')
      : order > 0
        ? operator.startsWith('>')
        : operator.startsWith('<');
  });
}
