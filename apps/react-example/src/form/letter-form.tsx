import { useState, type FormEvent } from 'react';
import { Button } from '../ui/button.tsx';
import { letters, type LetterName } from './letters.ts';

type LetterFormProps = { isReading: boolean; onRead: (letter: string) => void };

export function LetterForm({ isReading, onRead }: LetterFormProps) {
  const [letter, setLetter] = useState<string>(letters['A quiet room']);

  function submit(event: FormEvent): void {
    event.preventDefault();
    onRead(letter);
  }

  return (
    <form onSubmit={submit} className="mt-4 flex min-h-80 flex-1 flex-col gap-3">
      <div role="group" aria-label="Letters to try" className="flex flex-wrap gap-2">
        {(Object.keys(letters) as LetterName[]).map((name) => (
          <Button
            key={name}
            aria-pressed={letter === letters[name]}
            onClick={() => setLetter(letters[name])}
            className="aria-pressed:border-go aria-pressed:bg-go-soft"
          >
            {name}
          </Button>
        ))}
      </div>
      <textarea
        aria-label="Letter"
        rows={12}
        value={letter}
        onChange={(event) => setLetter(event.target.value)}
        className="field scroll flex-1 resize-none text-lg"
      />
      <div>
        <Button type="submit" variant="primary" disabled={isReading || letter.trim() === ''}>
          Read the booking
        </Button>
      </div>
    </form>
  );
}
