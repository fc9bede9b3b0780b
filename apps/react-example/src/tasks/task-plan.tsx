import { useState, type FormEvent } from 'react';
import { Button } from '../ui/button.tsx';

const usual = [
  'Choose rooms for two parents and three children',
  'Order breakfast for Sunday',
  'Fetch them from the station',
  'Write a welcome note',
].join('\n');

/** The tasks to do, one per line. */
export function TaskPlan({ onStart }: { onStart: (titles: string[]) => void }) {
  const [text, setText] = useState(usual);
  const titles = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

  function submit(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    if (titles.length === 0) return;
    onStart(titles);
    // the plan disappears, and the list takes its place
    event.currentTarget.closest('main')?.focus();
  }

  return (
    <form
      onSubmit={submit}
      className="mx-auto grid max-w-[760px] gap-4 px-5 pt-[10vh] narrow:px-3 narrow:pt-6"
    >
      <div>
        <h2 className="text-xl font-semibold">What needs to be done?</h2>
        <p className="mt-1 max-w-[60ch] text-lg text-ink-2">
          One task a line. The model works on them in order, and while it does, you can add, rename, move,
          skip or do them yourself: it hears of it at its next step.
        </p>
      </div>
      <textarea
        aria-label="Tasks"
        rows={6}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="field scroll resize-y text-lg"
      />
      <div>
        <Button type="submit" variant="primary" disabled={titles.length === 0}>
          Begin with {titles.length} {titles.length === 1 ? 'task' : 'tasks'}
        </Button>
      </div>
    </form>
  );
}
