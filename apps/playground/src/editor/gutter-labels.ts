import type { LineCost } from './line-costs.ts';
import { monaco } from './monaco.ts';

type CodeEditor = monaco.editor.IStandaloneCodeEditor;

/**
 * Returns a function that draws small texts before the line numbers of an editor, one per line, in place of those
 * before. The editor's glyph margin must be enabled.
 */
export function createGutterLabels(editor: CodeEditor): (costs: ReadonlyMap<number, LineCost>) => void {
  const labels = new Map<number, Label>();
  return (costs) => {
    for (const [line, label] of labels) {
      if (costs.has(line)) continue;
      editor.removeGlyphMarginWidget(label);
      labels.delete(line);
    }
    for (const [line, cost] of costs) {
      const shown = labels.get(line);
      const label = shown ?? new Label(line);
      label.write(cost);
      if (shown !== undefined) continue;
      labels.set(line, label);
      editor.addGlyphMarginWidget(label);
    }
  };
}

class Label implements monaco.editor.IGlyphMarginWidget {
  readonly #line: number;
  readonly #node = document.createElement('div');
  readonly #text = document.createElement('span');

  constructor(line: number) {
    this.#line = line;
    this.#node.className = 'line-cost';
    this.#node.append(this.#text);
  }

  write({ label, title }: LineCost): void {
    if (this.#text.textContent !== label) this.#text.textContent = label;
    if (this.#text.title !== title) this.#text.title = title;
  }

  getId(): string {
    return `cueline.line-cost.${this.#line}`;
  }

  getDomNode(): HTMLElement {
    return this.#node;
  }

  getPosition(): monaco.editor.IGlyphMarginWidgetPosition {
    const lane = monaco.editor.GlyphMarginLane.Center;
    return { lane, zIndex: 1, range: new monaco.Range(this.#line, 1, this.#line, 1) };
  }
}
