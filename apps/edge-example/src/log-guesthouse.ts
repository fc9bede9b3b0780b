import { performance, PerformanceObserver } from 'node:perf_hooks';

/** Writes a line to the log when a tool begins a request to the guesthouse, such as `guesthouse:sendMail`. */
export function logGuesthouse(): void {
  new PerformanceObserver((list) => {
    for (const { name } of list.getEntriesByType('mark')) {
      if (name.startsWith('guesthouse:')) console.log(JSON.stringify({ type: name, at: Date.now() }));
      // a server would collect them without end
      performance.clearMarks(name);
    }
  }).observe({ entryTypes: ['mark'] });
}
