import { executorNames, goTo, type ExecutorName } from './run-executors.ts';

/** Chooses where runs happen. Runs of the other executors continue. */
export function ExecutorSelect({ executor }: { executor: ExecutorName }) {
  return (
    <label className="flex items-center gap-2 text-sm text-ink-2 narrow:w-full">
      Runs
      <select
        value={executor}
        onChange={(event) => goTo(event.target.value as ExecutorName)}
        className="field min-h-8! w-auto! bg-panel! py-0! pr-1! text-ink narrow:min-h-11! narrow:flex-1"
      >
        {Object.entries(executorNames).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
