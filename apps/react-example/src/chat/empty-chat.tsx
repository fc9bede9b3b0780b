const suggestions = [
  'When does Ada arrive?',
  'Tell Grace that her room is ready at noon',
  'Which rooms are free on 2026-12-12?',
  'Break in the middle of the answer',
];

type EmptyChatProps = { onPick: (text: string, isByKeyboard: boolean) => void };

/** Suggestions for the first message. */
export function EmptyChat({ onPick }: EmptyChatProps) {
  return (
    <div className="pt-[8vh]">
      <h2 className="text-xl font-semibold">The desk of a small guesthouse</h2>
      <p className="mt-1 max-w-[60ch] text-lg text-ink-2">
        It looks up bookings and writes mails. Each mail waits for your approval, and the conversation is
        still here after a reload.
      </p>
      <ul className="mt-5 grid grid-cols-2 gap-2 narrow:grid-cols-1">
        {suggestions.map((text) => (
          <li key={text}>
            <button
              type="button"
              // a click without a pointer: by keyboard
              onClick={(event) => onPick(text, event.detail === 0)}
              className="min-h-11 w-full rounded-lg border border-line bg-panel px-3 py-2 text-left hover:border-line-strong hover:bg-hover"
            >
              {text}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
