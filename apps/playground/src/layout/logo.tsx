/** Cueline's logo: lines of a script with a green cue light. */
export function Logo() {
  return (
    <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden className="shrink-0">
      <path
        d="M2.5 5.5h9M2.5 10h5.5M2.5 14.5h9"
        stroke="var(--ink-2)"
        strokeWidth="2"
        strokeLinecap="round"
        fill="none"
      />
      <circle cx="15" cy="10" r="3.5" fill="var(--go)" />
    </svg>
  );
}
