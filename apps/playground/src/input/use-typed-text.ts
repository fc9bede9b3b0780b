import { useState } from 'react';
import { isSameJson } from './same-json.ts';

/** Keeps the typed text while it means the same value, so that a user can go on from `0.` to `0.5`. */
export function useTypedText<Value>(
  value: Value,
  read: (text: string) => Value,
  write: (value: Value) => string,
): [string, (text: string) => void] {
  const [typed, setTyped] = useState(() => write(value));
  return [isSameJson(read(typed), value) ? typed : write(value), setTyped];
}
