/** The options of `cueline eval`. */
export const evalOptions = {
  baseline: { type: 'string' },
  concurrency: { type: 'string' },
  config: { type: 'string' },
  extend: { type: 'boolean' },
  fresh: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  'merge-reports': { type: 'string' },
  model: { type: 'string', multiple: true },
  output: { type: 'string' },
  playground: { type: 'string' },
  record: { type: 'boolean' },
  repeat: { type: 'string' },
  reporter: { type: 'string', multiple: true },
  shard: { type: 'string' },
  'test-name-pattern': { type: 'string', short: 't' },
  threshold: { type: 'string' },
  'update-baseline': { type: 'string' },
  watch: { type: 'boolean', short: 'w' },
} as const;

/** What the command prints for `--help`. */
export const usage = `cueline eval [files…] [options]

Runs the evals in *.eval.ts (or .js, .tsx, .mts) with Vitest. "files" are parts of their paths.

  -t, --test-name-pattern P  only cases whose name matches the regular expression
      --model M              a model in the place of the evals' own; may be repeated
      --repeat N             how often each case runs
      --threshold R          the pass rate that each eval needs, from 0 to 1
      --concurrency N        runs at the same time, of each eval (default 5)
      --fresh                make all runs again, also those whose results are stored
      --record               send all requests to the models, and record their answers anew
      --extend               record only requests that the cassettes lack
      --baseline FILE        fail only if a pass rate is significantly lower than in this report
      --update-baseline FILE write this report as a baseline
      --reporter NAME        html, json, junit, or a reporter of Vitest; may be repeated (default html and json)
      --output FOLDER        where reports and results are stored (default .cueline)
      --playground URL       the playground that the HTML report opens runs in
      --shard I/N            only a part of the files; with --reporter blob, for --merge-reports
      --merge-reports FOLDER the report of all shards, from their files in .cueline/shards
      --config FILE          the configuration of Vitest or Vite
  -w, --watch                run again what a changed file affects

The exit code is 0 if all evals pass, 1 if one does not or none has run, and 2 if the command cannot start.`;
