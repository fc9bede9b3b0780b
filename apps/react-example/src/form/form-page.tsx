import { usePrompt } from '@cueline/react';
import { useRef, useState, type FormEvent } from 'react';
import * as z from 'zod';
import { readBooking } from '../remote-prompts.ts';
import { bookingSchema, type Booking } from '../schemas/booking.ts';
import { Button } from '../ui/button.tsx';
import { Restored } from '../ui/restored.tsx';
import { RunStatus } from '../ui/run-status.tsx';
import { AnswerFeedback } from './answer-feedback.tsx';
import { BookingFields, type Draft } from './booking-fields.tsx';
import { LetterForm } from './letter-form.tsx';

/** A form that fills in while the answer arrives, and that the user can edit afterwards. */
export function FormPage({ id }: { id: string }) {
  const reading = usePrompt(readBooking, { id, watch: ['object', 'status'] });
  const { object, status, start, run } = reading;
  const booking = useRef<HTMLElement>(null);
  const [edits, setEdits] = useState<Draft>({});
  const [saved, setSaved] = useState<Booking>();
  const [faults, setFaults] = useState<Partial<Record<keyof Booking, string[]>>>({});
  const isReading = status === 'running';

  function read(letter: string): void {
    setEdits({});
    setFaults({});
    setSaved(undefined);
    void start({ letter });
    // on narrow screens, where it stands below the letter
    booking.current?.scrollIntoView({ block: 'start' });
  }
  function save(event: FormEvent): void {
    event.preventDefault();
    const checked = bookingSchema.safeParse({ ...object, ...edits });
    setFaults(checked.success ? {} : z.flattenError(checked.error).fieldErrors);
    setSaved(checked.data);
  }

  return (
    <Restored run={run}>
      <div className="grid h-full grid-cols-2 narrow:block narrow:overflow-auto">
        <section
          aria-labelledby="letter"
          className="scroll flex flex-col border-r border-line bg-panel px-8 py-6 narrow:border-r-0 narrow:border-b narrow:p-3"
        >
          <h2 id="letter" className="text-xl font-semibold">
            The letter
          </h2>
          <LetterForm isReading={isReading} onRead={read} />
          <RunStatus run={run} />
        </section>
        <section
          aria-labelledby="booking"
          ref={booking}
          className="scroll px-8 py-6 narrow:overflow-visible narrow:p-3"
        >
          <h2 id="booking" className="text-xl font-semibold">
            The booking
          </h2>
          <form noValidate onSubmit={save} aria-busy={isReading} className="mt-4 grid gap-2">
            <BookingFields
              draft={{ ...object, ...edits }}
              faults={faults}
              isReadOnly={isReading}
              onChange={(change) => {
                setEdits({ ...edits, ...change });
                setSaved(undefined);
              }}
            />
            <div className="flex flex-wrap items-center gap-3">
              <Button type="submit" variant="primary" disabled={isReading}>
                Save
              </Button>
              <p role="status" className="min-w-0 flex-1 text-ink-2">
                {saved !== undefined
                  ? `Saved: ${describeStay(saved)}.`
                  : // TypeScript knows the result's type from the schema
                    reading.status === 'done' && `Read: ${describeStay(reading.result)}. Not saved yet.`}
              </p>
            </div>
          </form>
          <AnswerFeedback run={run} />
        </section>
      </div>
    </Restored>
  );
}

function describeStay({ guest, guests, arrival, departure }: Booking): string {
  const nights = (Date.parse(departure) - Date.parse(arrival)) / 86_400_000;
  return `${guest}, ${guests} ${guests === 1 ? 'guest' : 'guests'}, ${nights} ${nights === 1 ? 'night' : 'nights'}`;
}
