/** A storage of a page, such as `localStorage`, that keeps its texts in `texts`. */
export function memoryStorage(texts = new Map<string, string>()): Storage {
  return {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  } as Storage;
}
