/** Does work under a name once fewer than the most pieces of work are in progress under it. */
export type CallSlots = <Value>(name: string, work: () => Promise<Value>) => Promise<Value>;

/** Creates slots for `most` pieces of work at once under each name. Further ones wait for their turn. */
export function createCallSlots(most: number): CallSlots {
  const open = new Map<string, { busy: number; waiting: (() => void)[] }>();
  return async (name, work) => {
    const slots = open.get(name) ?? { busy: 0, waiting: [] };
    open.set(name, slots);
    if (slots.busy < most) slots.busy += 1;
    // the one that leaves its slot passes it on
    else await new Promise<void>((resolve) => slots.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = slots.waiting.shift();
      if (next === undefined) slots.busy -= 1;
      else next();
      if (slots.busy === 0) open.delete(name);
    }
  };
}
