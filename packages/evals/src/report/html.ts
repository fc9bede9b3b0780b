import { CuelineError } from '@cueline/core';
import type { EvalReport, EvalResult } from '@cueline/core/evals';
import { encodeLink } from '@cueline/core/link';
import { diffWordsWithSpace } from 'diff';
import type { DiffPart, PageReport, PageResult } from './page-report.ts';
import { showReport } from './page-script.ts';
import { pageStyle } from './page-style.ts';

/** Longer texts are shown without a comparison, which takes time with the square of their length. */
const MAX_DIFF = 10_000;
/** Longer links are cut off by some browsers and chat tools. */
const MAX_LINK = 100_000;

/** Returns a page with all runs, in one file. It loads nothing. */
export function htmlReport(
  reports: readonly EvalReport[],
  { playground }: { playground?: string | undefined } = {},
): string {
  const data: PageReport[] = reports.map((report) => ({
    ...report,
    results: report.results.map((result) => toPageResult(result, playground)),
    columns: columnTitles(report),
  }));
  // no text of a model ends the script element
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; form-action 'none'; base-uri 'none'">
<title>Evals</title>
<style>${pageStyle}</style>
</head>
<body>
<main id="report"></main>
<script id="data" type="application/json">${json}</script>
<script>(${showReport.toString()})();</script>
</body>
</html>
`;
}

/** Titles columns with what differs between them. */
function columnTitles({ groups }: EvalReport): string[] {
  if (groups.length === 1) return ['Runs'];
  const [prompts, models] = (['prompt', 'model'] as const).map(
    (name) => new Set(groups.map((group) => group[name])).size > 1,
  );
  return groups.map(({ prompt, model }) =>
    [prompts && prompt, models && (model || '–')].filter((part) => part !== false).join(' · '),
  );
}

function toPageResult(result: EvalResult, playground: string | undefined): PageResult {
  const { log, ...facts } = result;
  const diff = diffOf(result);
  const link = log === undefined || playground === undefined ? undefined : linkTo(log);
  return {
    ...facts,
    ...(diff === undefined ? {} : { diff }),
    ...(link === undefined ? {} : { replay: new URL(link, playground).href }),
    // the page offers the log of a run that no link holds
    ...(log === undefined || link !== undefined ? {} : { log }),
  };
}

/** Returns the link to a run; undefined for a run that is too large for one. */
function linkTo(log: NonNullable<EvalResult['log']>): string | undefined {
  try {
    const link = encodeLink({ log });
    return link.length <= MAX_LINK ? link : undefined;
  } catch (error) {
    if (CuelineError.isInstance(error) && error.code === 'too_large') return undefined;
    throw error;
  }
}

/** Compares the output of a run that did not pass with the expected text. */
function diffOf({ status, expect, output }: EvalResult): DiffPart[] | undefined {
  if (status === 'passed' || typeof expect !== 'string' || output === undefined) return undefined;
  if (expect.length + output.text.length > MAX_DIFF) return undefined;
  return diffWordsWithSpace(expect, output.text).map(({ added, removed, value }): DiffPart => [
    added ? 1 : removed ? -1 : 0,
    value,
  ]);
}
