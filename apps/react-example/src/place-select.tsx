import { goTo, places, type Place } from './run-places.ts';

/** Chooses where runs happen. Runs in the other places continue. */
export function PlaceSelect({ place }: { place: Place }) {
  return (
    <label className="flex items-center gap-2 text-sm text-ink-2 narrow:w-full">
      Runs
      <select
        value={place}
        onChange={(event) => goTo(event.target.value as Place)}
        className="field min-h-8! w-auto! bg-panel! py-0! pr-1! text-ink narrow:min-h-11! narrow:flex-1"
      >
        {Object.entries(places).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
