import type { UsageFigures } from '@cueline/core/evals';
import { formatCost, formatDuration, plural } from '../ui/format.ts';
import { visibleText } from '../ui/visible-text.ts';
import { modelTitle, type Column } from './result-rows.ts';

/** The figures of each version on each model. */
export function Summaries({ columns }: { columns: readonly Column[] }) {
  return (
    <ul className="grid grid-cols-[repeat(auto-fit,minmax(240px,1fr))] gap-3 p-4 narrow:p-3">
      {columns.map((column) => (
        <Summary key={column.key} column={column} />
      ))}
    </ul>
  );
}

function percent(rate: number): string {
  return `${Math.round(rate * 100)}`;
}

/** The percentage of passed runs: 100 only if all have passed, and 0 only if none has. */
function passPercent(rate: number): string {
  return rate === 0 || rate === 1 ? percent(rate) : `${Math.min(99, Math.max(1, Math.round(rate * 100)))}`;
}

function Summary({ column: { prompt, model, summary, pending, lacksJudge } }: { column: Column }) {
  const { runs, passed, failed, errors, passRate, interval, usage, cost, scoring, latency } = summary;
  const none = runs === 0;
  return (
    <li className="rounded-lg border border-line bg-panel px-3.5 py-3" data-testid="summary">
      <p className="flex min-w-0 items-baseline gap-2">
        <span className="truncate font-mono text-sm font-medium">{visibleText(prompt)}</span>
        <span className="ml-auto shrink-0 text-sm text-ink-3">{visibleText(modelTitle(model))}</span>
      </p>
      <p className="mt-1.5 flex items-baseline gap-2">
        <span className="text-xl font-semibold">{none ? '–' : `${passPercent(passRate)} %`}</span>
        <span className="text-sm text-ink-2">
          {none
            ? 'no run has ended'
            : `${percent(interval.low)}–${percent(interval.high)} % with 95 % confidence`}
        </span>
      </p>
      <PassRate rate={none ? 0 : passRate} low={interval.low} high={interval.high} shown={!none} />
      <p className="mt-2 flex flex-wrap gap-x-3 text-sm text-ink-2">
        <span>
          <span className={passed > 0 ? 'text-ok' : undefined}>{passed} passed</span>
          {failed > 0 && <span className="text-danger">, {failed} failed</span>}
          {errors > 0 && <span className="text-danger">, {errors} with errors</span>}
          {pending > 0 && `, ${pending} to come`}
        </span>
        {!none && (
          <span>
            {formatDuration(latency.p50)} <span className="text-ink-3">median,</span>{' '}
            {formatDuration(latency.p95)} <span className="text-ink-3">p95</span>
          </span>
        )}
        {!none && <span>{describeTokens({ usage, ...(cost === undefined ? {} : { cost }) })}</span>}
        {scoring !== undefined && (
          <span>
            <span className="text-ink-3">judge</span> {describeTokens(scoring)}
          </span>
        )}
        {lacksJudge && <span className="text-ink-3">without the calls of the judge</span>}
      </p>
    </li>
  );
}

function describeTokens({ usage, cost }: UsageFigures): string {
  const tokens = plural(usage.inputTokens + usage.outputTokens, 'token');
  return cost === undefined ? tokens : `${tokens}, ${formatCost(cost)}`;
}

/** The pass rate on a line from 0 to 100 %, with its interval. */
function PassRate({ rate, low, high, shown }: { rate: number; low: number; high: number; shown: boolean }) {
  return (
    <div aria-hidden className="relative mt-2 h-2 rounded-full bg-hover forced-color-adjust-none">
      {shown && (
        <>
          <div
            className="absolute inset-y-0 left-0 rounded-full bg-go/35"
            style={{ width: `${rate * 100}%` }}
          />
          <div
            className="absolute top-1/2 h-0.5 -translate-y-1/2 bg-ink-2"
            style={{ left: `${low * 100}%`, width: `${(high - low) * 100}%` }}
          />
          <div
            className="absolute -inset-y-0.5 w-0.5 -translate-x-1/2 bg-ink"
            style={{ left: `${rate * 100}%` }}
          />
        </>
      )}
    </div>
  );
}
