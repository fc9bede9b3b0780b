/** Says that something is stored that this version of the page cannot read, and what to do. */
export function UnreadableNote({ what }: { what: 'prompts' | 'evals' | 'scripts' }) {
  return (
    <p className="bg-warn-soft px-4 py-1.5 text-warn" data-testid="unreadable">
      This version of the page cannot read some of your stored {what}. They stay stored. Close all tabs of
      this page and open it again, which loads its newest version.
    </p>
  );
}
