import { useState } from 'react';

/** A slider with its value beside it: the least that a page can draw while it is dragged. */
export default function SliderPage() {
  const [value, setValue] = useState(50);
  return (
    <p>
      <input
        type="range"
        aria-label="Moment"
        style={{ width: 900 }}
        value={value}
        onChange={(event) => setValue(Number(event.target.value))}
      />
      {value}
    </p>
  );
}
