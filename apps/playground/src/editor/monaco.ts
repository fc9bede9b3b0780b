import { loader } from '@monaco-editor/react';
import { PixelRatio } from 'monaco-editor/base/browser/pixelRatio';
import * as monaco from 'monaco-editor/editor';
import './monaco-features.ts';
import { FontMeasurements } from 'monaco-editor/editor/browser/config/fontMeasurements';
import { createBareFontInfoFromRawSettings } from 'monaco-editor/editor/common/config/fontInfoFromSettings';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices';
import { IStandaloneThemeService } from 'monaco-editor/editor/standalone/common/standaloneTheme';
import * as typescript from 'monaco-editor/languages/features/typescript/register';
import { IStorageService } from 'monaco-editor/platform/storage/common/storage';
import { showLibraryDefinitions } from './library-definitions.ts';
import { checkedFirst, takeTypeScriptWorker } from './start-typescript.ts';
import { defineThemes } from './themes.ts';

/** How many scripts keep their undo history while others are in the editor. */
const MAX_MODELS = 20;

/** Forgets the models of the scripts that were opened longest ago. */
export function forgetOldModels(current: monaco.editor.ITextModel): void {
  const others = monaco.editor
    .getModels()
    .filter((model) => model !== current && model.uri.path.startsWith('/scripts/'));
  for (const model of others.slice(0, Math.max(0, others.length - MAX_MODELS))) model.dispose();
}

/**
 * Adds the styles of a theme to the page and measures the font. The first editor would do both while it is created,
 * which takes long enough without them.
 */
export function prepareStyles(theme: string, font: monaco.editor.IEditorOptions): void {
  const themes = StandaloneServices.get(IStandaloneThemeService);
  themes.setTheme(theme);
  themes.registerEditorContainer(document.body);
  const { value: pixelRatio } = PixelRatio.getInstance(window);
  FontMeasurements.readFontInfo(window, createBareFontInfoFromRawSettings(font, pixelRatio));
}

declare global {
  interface Window {
    MonacoEnvironment?: { getWorker(id: string, label: string): Worker };
  }
}

self.MonacoEnvironment = {
  getWorker: (_id, label) => (label === 'typescript' ? takeTypeScriptWorker() : new EditorWorker()),
};
// Otherwise the loader would fetch another Monaco from a CDN.
loader.config({ monaco: monaco as never });
defineThemes(monaco);
showLibraryDefinitions();
// Shows the documentation beside a completion at once. Monaco has no option for this: it stores what the user
// last chose (scope 0: the profile; target 0: by the user).
StandaloneServices.get(IStorageService).store('expandSuggestionDocs', true, 0, 0);

typescript.typescriptDefaults.setEagerModelSync(true);

/** Resolves when a script has been checked for the first time; true if there was no error. */
export async function firstCheck(model: monaco.editor.ITextModel): Promise<boolean> {
  const text = model.getValue();
  const asked = isClean(model.uri);
  const early = checkedFirst(model.uri.toString(), text);
  if (early === undefined) return asked;
  const clean = await Promise.race([early, asked]);
  // the text may have changed meanwhile
  return clean === undefined || model.getValue() !== text ? asked : clean;
}

async function isClean(uri: monaco.Uri): Promise<boolean> {
  const worker = await (await typescript.getTypeScriptWorker())(uri);
  const [syntax, semantics] = await Promise.all([
    worker.getSyntacticDiagnostics(uri.toString()),
    worker.getSemanticDiagnostics(uri.toString()),
  ]);
  return syntax.length + semantics.length === 0;
}

export function createScriptModel(text: string, path: string): void {
  const uri = monaco.Uri.parse(path);
  if (monaco.editor.getModel(uri) === null) monaco.editor.createModel(text, 'typescript', uri);
}

export { monaco };
