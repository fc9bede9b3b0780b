/** The style of the HTML report. */
export const pageStyle = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #343a44); --soft: light-dark(#f5f6f8, #1c2027);
  --text: light-dark(#1b1f26, #e6e9ee); --quiet: light-dark(#5c6572, #9aa4b2); --good: light-dark(#17803d, #4cc274);
  --bad: light-dark(#c3242f, #ff7b82); --warn: light-dark(#9a5b00, #f0b04f); --page: light-dark(#fff, #14171c); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1200px; margin: 0 auto; padding: 24px 20px 80px; }
h1 { font-size: 20px; margin: 0 0 16px; } h2 { font-size: 17px; margin: 32px 0 8px; }
.quiet { color: var(--quiet); } .passed { color: var(--good); } .failed { color: var(--bad); } .error { color: var(--warn); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; padding: 6px 12px; border-top: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
thead th { border-top: 0; background: var(--soft); font-weight: 600; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
td.input { white-space: normal; min-width: 200px; max-width: 420px; overflow-wrap: anywhere; color: var(--quiet); }
.bar { position: relative; width: 120px; height: 8px; border-radius: 4px; background: var(--line); display: inline-block; margin-right: 8px; }
.bar i { position: absolute; inset: 0 auto 0 0; border-radius: 4px; background: currentColor; }
.bar b { position: absolute; top: -2px; bottom: -2px; border: 1px solid var(--text); border-width: 0 1px; opacity: .55; }
.filters { display: flex; flex-wrap: wrap; gap: 8px; margin: 12px 0; }
input, select, button { font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: 6px; padding: 4px 10px; }
input { flex: 1 1 200px; }
button { cursor: pointer; }
button.run { border: 0; padding: 2px 5px; background: none; font-size: 15px; line-height: 1; }
button.run[aria-expanded=true] { background: var(--soft); outline: 1px solid var(--line); }
:focus-visible { outline: 2px solid #4c8dff; outline-offset: 1px; }
.details { padding: 12px; background: var(--soft); white-space: normal; }
/* stays in view while a wide table scrolls */
.details > div { position: sticky; left: 12px; max-width: calc(100vw - 66px); }
.details h3 { font-size: 13px; margin: 12px 0 4px; color: var(--quiet); font-weight: 600; } .details h3:first-child { margin-top: 0; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace; max-height: 320px; overflow: auto; }
ins { text-decoration: none; background: color-mix(in srgb, var(--good) 22%, transparent); }
del { background: color-mix(in srgb, var(--bad) 20%, transparent); }
`;
