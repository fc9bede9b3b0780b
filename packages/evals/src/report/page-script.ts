/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import type { EvalGroup, EvalUsage, UsageFigures } from '@cueline/core/evals';
import type { PageReport, PageResult } from './page-report.ts';

/** Shows the report in its page. It is sent as text, so it uses nothing outside itself. */
export function showReport(): void {
  const reports = JSON.parse(document.getElementById('data')!.textContent) as PageReport[];
  const main = document.getElementById('report')!;
  /** Rows beyond these are shown on demand. */
  const PAGE = 200;

  /** Every text becomes a text node, so that no output is read as HTML. */
  function make(
    tag: string,
    attributes: Record<string, string> = {},
    ...children: (Node | string)[]
  ): HTMLElement {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  }
  const percent = (rate: number): string => `${Math.round(rate * 100)} %`;
  const json = (value: unknown): string =>
    typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  const duration = (ms: number): string =>
    ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;

  const tokens = ({ inputTokens, outputTokens }: EvalUsage): string =>
    (inputTokens + outputTokens).toLocaleString('en');
  const price = (cost: number | undefined): string => (cost === undefined ? '–' : cost.toPrecision(3));

  /** A figure of the scorers, in a line of its own. */
  function ofScorers({ scoring }: EvalGroup, of: (figures: UsageFigures) => string): Node[] {
    if (scoring === undefined) return [];
    return [make('br'), make('span', { class: 'quiet' }, `scorers ${of(scoring)}`)];
  }

  function showGroups({ groups }: PageReport): HTMLElement {
    const head = ['Prompt', 'Model', 'Passed', 'p50', 'p95', 'Tokens', 'Cost'];
    const rows = groups.map((group) => {
      const { low, high } = group.interval;
      const bar = make('span', { class: `bar ${group.passRate === 1 ? 'passed' : 'failed'}` });
      const fill = make('i');
      fill.style.width = `${group.passRate * 100}%`;
      const range = make('b');
      range.style.left = `${low * 100}%`;
      range.style.right = `${100 - high * 100}%`;
      bar.append(fill, range);
      const rate = `${group.passed}/${group.runs} · ${percent(group.passRate)} `;
      return make(
        'tr',
        {},
        make('td', {}, group.prompt),
        make('td', {}, group.model || '–'),
        make('td', {}, bar, rate, make('span', { class: 'quiet' }, `(${percent(low)} to ${percent(high)})`)),
        make('td', { class: 'number' }, duration(group.latency.p50)),
        make('td', { class: 'number' }, duration(group.latency.p95)),
        make(
          'td',
          { class: 'number' },
          tokens(group.usage),
          ...ofScorers(group, ({ usage }) => tokens(usage)),
        ),
        make('td', { class: 'number' }, price(group.cost), ...ofScorers(group, ({ cost }) => price(cost))),
      );
    });
    const columns = head.map((name, index) => make('th', index > 2 ? { class: 'number' } : {}, name));
    return make(
      'div',
      { class: 'scroll' },
      make('table', {}, make('thead', {}, make('tr', {}, ...columns)), make('tbody', {}, ...rows)),
    );
  }

  function showDetails(result: PageResult, columns: number): HTMLElement {
    const box = make('div');
    const part = (title: string, ...content: (Node | string)[]): void => {
      box.append(make('h3', {}, title), make('pre', {}, ...content));
    };
    part('Input', json(result.input));
    if (result.error !== undefined) part('Error', result.error.message);
    if (result.diff !== undefined) {
      const parts = result.diff.map(([side, text]) =>
        side === 0 ? text : make(side === 1 ? 'ins' : 'del', {}, text),
      );
      part('Expected and output: only in the expectation is red, only in the output is green', ...parts);
    } else {
      if (result.expect !== undefined) part('Expected', json(result.expect));
      if (result.output !== undefined) part('Output', result.output.text);
    }
    for (const { name, input, output, error } of result.output?.toolCalls ?? []) {
      part(`Tool call ${name}`, `${json(input)}\n→ ${error ?? json(output)}`);
    }
    for (const { scorer, score, pass, reason } of result.scores) {
      part(`${pass ? '✓' : '✗'} ${scorer}: ${score}`, reason ?? '');
    }
    const facts = [
      `${result.usage.inputTokens} + ${result.usage.outputTokens} tokens`,
      duration(result.ms),
      ...(result.cost === undefined ? [] : [`cost ${result.cost.toPrecision(3)}`]),
      ...(result.stored ? ['from an earlier evaluation'] : []),
      ...(result.scorerUsage ?? []).map(
        ({ scorer, inputTokens, outputTokens, cost }) =>
          `${scorer} ${inputTokens} + ${outputTokens} tokens${cost === undefined ? '' : `, cost ${cost.toPrecision(3)}`}`,
      ),
    ];
    const last = make('p', { class: 'quiet' }, facts.join(' · '), ' ');
    if (result.replay !== undefined) {
      last.append(make('a', { href: result.replay, target: '_blank', rel: 'noreferrer' }, 'Open the run'));
    } else if (result.log !== undefined) {
      const save = make('button', { type: 'button' }, 'Save the log of the run');
      save.addEventListener('click', () => {
        const url = URL.createObjectURL(new Blob([JSON.stringify(result.log)], { type: 'application/json' }));
        const link = make('a', { href: url, download: `${result.caseId}.json` });
        link.click();
        URL.revokeObjectURL(url);
      });
      last.append(save);
    }
    box.append(last);
    return make('tr', {}, make('td', { class: 'details', colspan: String(columns) }, box));
  }

  function showCases(report: PageReport): HTMLElement[] {
    const columns = report.groups.map(({ prompt, model }) => ({ prompt, model }));
    const byCase = new Map<string, PageResult[]>();
    for (const result of report.results) {
      byCase.set(result.caseId, [...(byCase.get(result.caseId) ?? []), result]);
    }
    const unstable = new Set(report.groups.flatMap((group) => group.unstable));
    const search = make('input', {
      type: 'search',
      placeholder: 'Search',
      'aria-label': 'Search',
    }) as HTMLInputElement;
    const status = make('select', { 'aria-label': 'Which cases' }) as HTMLSelectElement;
    for (const [value, label] of [
      ['all', 'All cases'],
      ['failed', 'Cases that do not pass'],
      ['unstable', 'Cases that pass sometimes'],
      ['error', 'Cases with errors'],
    ] as const) {
      status.append(make('option', { value }, label));
    }
    const body = make('tbody');
    const more = make('button', { type: 'button' });
    let shown = PAGE;

    function showRow(caseId: string, results: readonly PageResult[]): HTMLElement[] {
      const row = make(
        'tr',
        {},
        make('td', {}, caseId),
        make('td', { class: 'input' }, json(results[0]?.input).slice(0, 200)),
      );
      let open: { button: HTMLElement; details: HTMLElement } | undefined;
      for (const column of columns) {
        const cell = make('td');
        const own = results.filter(({ prompt, model }) => prompt === column.prompt && model === column.model);
        for (const result of own) {
          const label = `${result.status}, run ${result.repetition + 1}`;
          const mark = { passed: '●', failed: '✕', error: '▲' }[result.status];
          const button = make(
            'button',
            {
              type: 'button',
              class: `run ${result.status}`,
              title: label,
              'aria-label': `${caseId}: ${label}`,
              'aria-expanded': 'false',
            },
            mark,
          );
          button.addEventListener('click', () => {
            const previous = open;
            open = undefined;
            previous?.details.remove();
            previous?.button.setAttribute('aria-expanded', 'false');
            if (previous?.button === button) return;
            const details = showDetails(result, columns.length + 2);
            row.after(details);
            button.setAttribute('aria-expanded', 'true');
            open = { button, details };
          });
          cell.append(button);
        }
        row.append(cell);
      }
      return [row];
    }

    function show(): void {
      const words = search.value.toLowerCase();
      const chosen = [...byCase].filter(([caseId, results]) => {
        if (status.value === 'failed' && results.every((result) => result.status === 'passed')) return false;
        if (status.value === 'error' && results.every((result) => result.status !== 'error')) return false;
        if (status.value === 'unstable' && !unstable.has(caseId)) return false;
        if (words === '') return true;
        const texts = results.flatMap(({ input, expect, output, tags }) => [
          input,
          expect,
          output?.text,
          tags,
        ]);
        return `${caseId} ${JSON.stringify(texts)}`.toLowerCase().includes(words);
      });
      body.replaceChildren(
        ...chosen.slice(0, shown).flatMap(([caseId, results]) => showRow(caseId, results)),
      );
      if (chosen.length === 0) {
        body.append(
          make(
            'tr',
            {},
            make('td', { class: 'quiet', colspan: String(columns.length + 2) }, 'No such case.'),
          ),
        );
      }
      more.hidden = chosen.length <= shown;
      more.textContent = `Show ${Math.min(PAGE, chosen.length - shown)} more of ${chosen.length} cases`;
    }
    search.addEventListener('input', show);
    status.addEventListener('change', show);
    more.addEventListener('click', () => {
      shown += PAGE;
      show();
    });
    if (!report.passed && report.results.some((result) => result.status !== 'passed'))
      status.value = 'failed';
    show();
    const head = ['Case', 'Input', ...report.columns].map((name) => make('th', {}, name));
    return [
      make('div', { class: 'filters' }, search, status),
      make('div', { class: 'scroll' }, make('table', {}, make('thead', {}, make('tr', {}, ...head)), body)),
      make('p', {}, more),
    ];
  }

  main.append(make('h1', {}, 'Evals'));
  if (reports.length === 0) main.append(make('p', { class: 'quiet' }, 'No eval has run.'));
  for (const report of reports) {
    main.append(
      make(
        'h2',
        {},
        make('span', { class: report.passed ? 'passed' : 'failed' }, report.passed ? '✓ ' : '✗ '),
        report.name,
      ),
      make(
        'p',
        { class: 'quiet' },
        `${new Date(report.startedAt).toLocaleString('en')} · ${duration(report.ms)} · needs ${percent(report.threshold)}${report.aborted ? ' · stopped before its end' : ''}`,
      ),
      showGroups(report),
      ...showCases(report),
    );
  }
}
