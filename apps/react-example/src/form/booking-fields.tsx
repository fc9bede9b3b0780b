import { useId, type ReactNode } from 'react';
import type { Booking } from '../schemas/booking.ts';

/** A booking that is incomplete, as while it arrives, or that does not fit yet. */
export type Draft = { [Name in keyof Booking]?: Booking[Name] | string | undefined };

type BookingFieldsProps = {
  draft: Draft;
  faults: Partial<Record<keyof Booking, string[]>>;
  isReadOnly: boolean;
  onChange: (change: Draft) => void;
};

const rooms = { garden: 'Garden room', sea: 'Sea room', attic: 'Attic' };

export function BookingFields({ draft, faults, isReadOnly, onChange }: BookingFieldsProps) {
  const text = (name: keyof Booking, label: string, type = 'text'): ReactNode => (
    <Field label={label} fault={faults[name]?.[0]}>
      {(attributes) => (
        <input
          {...attributes}
          // half a date is not a date
          type={isReadOnly ? 'text' : type}
          readOnly={isReadOnly}
          value={draft[name] ?? ''}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      {text('guest', 'Guest')}
      {text('email', 'E-mail', 'email')}
      <div className="grid grid-cols-2 gap-x-4 gap-y-2">
        {text('arrival', 'Arrival', 'date')}
        {text('departure', 'Departure', 'date')}
        <Field label="Guests" fault={faults.guests?.[0]}>
          {(attributes) => (
            <input
              {...attributes}
              type="number"
              readOnly={isReadOnly}
              value={draft.guests ?? ''}
              onChange={({ target }) =>
                onChange({ guests: target.value === '' ? undefined : target.valueAsNumber })
              }
            />
          )}
        </Field>
        <Field label="Room" fault={faults.room?.[0]}>
          {(attributes) => (
            <select
              {...attributes}
              disabled={isReadOnly}
              value={draft.room ?? ''}
              onChange={(event) => onChange({ room: event.target.value })}
            >
              <option value="" disabled>
                –
              </option>
              {Object.entries(rooms).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Field label="Wishes" fault={faults.wishes?.[0]}>
        {(attributes) => (
          <textarea
            {...attributes}
            rows={2}
            readOnly={isReadOnly}
            value={draft.wishes ?? ''}
            onChange={(event) => onChange({ wishes: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

type FieldAttributes = { id: string; className: string; 'aria-invalid': boolean; 'aria-describedby': string };

type FieldProps = {
  label: string;
  fault: string | undefined;
  children: (attributes: FieldAttributes) => ReactNode;
};

/** A label, a control, and a line that is reserved for its error, so that nothing moves. */
function Field({ label, fault, children }: FieldProps) {
  const id = useId();
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="text-sm text-ink-2">
        {label}
      </label>
      {children({
        id,
        className: 'field',
        'aria-invalid': fault !== undefined,
        'aria-describedby': `${id}-fault`,
      })}
      <p id={`${id}-fault`} className="min-h-[18px] text-sm text-danger">
        {fault}
      </p>
    </div>
  );
}
