import { ArrowRight, Eye, KeyRound } from 'lucide-react';
import { exampleGroups } from '../examples/index.ts';
import { openPreview } from '../state/preview.ts';
import { replaceScript } from '../state/replace-script.ts';
import { startRun } from '../state/run-session.ts';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { EmptyPane } from '../ui/empty-pane.tsx';

/** How many examples of each group are offered here; the menu has all of them. */
const FROM_EACH_GROUP = 2;

/** The content of the run pane before the first run. */
export function EmptyRun() {
  const demo = usePlayground((state) => state.connection.kind === 'demo');
  const script = usePlayground((state) => state.script);
  return (
    <EmptyPane
      title="Press Run and watch it work"
      text="The script is a prompt. What the model thinks, writes and does appears here as it happens: every tool call with what went in, what came out, and how long it took."
      action="Run this script"
      onStart={startRun}
      beside={
        <Button variant="outline" onClick={() => openPreview(true)} className="h-9 px-3 text-lg">
          <Eye />
          Preview the request
        </Button>
      }
    >
      {demo && (
        <p className="mt-4 flex items-start gap-2 text-base text-ink-2">
          <KeyRound className="mt-[3px] size-3.5 shrink-0 text-ink-3" />
          <span>
            No key needed: the built-in demo model is simulated and answers any script.{' '}
            <button
              type="button"
              className="text-ink underline decoration-line-strong underline-offset-2 hover:decoration-ink narrow:-my-3 narrow:min-h-11"
              onClick={() => usePlayground.setState({ modelDialogOpen: true })}
            >
              Use a real model
            </button>
          </span>
        </p>
      )}
      <h3 className="mt-9 text-sm font-medium text-ink-3">Or begin with another example</h3>
      <ul className="mt-1.5 -ml-2.5">
        {exampleGroups
          .flatMap((group) => group.examples.slice(0, FROM_EACH_GROUP))
          .filter(({ source }) => source !== script)
          .map((example) => (
            <li key={example.id}>
              <button
                type="button"
                onClick={() => replaceScript(example.source, example.title)}
                className="group flex w-full items-center gap-x-2 rounded-md px-2.5 py-1.5 text-left hover:bg-hover narrow:min-h-11 narrow:flex-wrap"
              >
                <span className="shrink-0 font-medium">{example.title}</span>
                <span className="min-w-0 flex-1 text-ink-2 narrow:basis-full">{example.description}</span>
                <ArrowRight className="size-3.5 shrink-0 text-ink-3 opacity-0 narrow:hidden group-hover:opacity-100 group-focus-visible:opacity-100" />
              </button>
            </li>
          ))}
      </ul>
    </EmptyPane>
  );
}
