declare module 'virtual:cueline-editor-types' {
  /** Address of the JSON with the declarations for the editor. */
  const url: string;
  export default url;
}

/** Parts of Monaco that are imported for their side effects and have no declarations. */
declare module 'monaco-editor/editor/contrib/*';
declare module 'monaco-editor/editor/common/*';
declare module 'monaco-editor/editor/browser/*';
declare module 'monaco-editor/languages/features/typescript/tsMode';

/** Monaco's TypeScript, which runs in a worker. */
declare module 'monaco-editor/languages/features/typescript/tsWorker' {
  /** A script that the page has open. Each change of its text has a higher version, from 1. */
  export type ScriptModel = {
    readonly uri: { readonly path: string; toString(): string };
    readonly version: number;
    getValue(): string;
  };
  export type Scripts = { getMirrorModels(): readonly ScriptModel[] };
  export class TypeScriptWorker {
    constructor(
      scripts: Scripts,
      settings: {
        compilerOptions: object;
        extraLibs: Record<string, { content: string; version: number }>;
        inlayHintsOptions: object;
      },
    );
    getSyntacticDiagnostics(path: string): Promise<unknown[]>;
    getSemanticDiagnostics(path: string): Promise<unknown[]>;
  }
}
declare module 'monaco-editor/internal/common/initialize' {
  import type { Scripts } from 'monaco-editor/languages/features/typescript/tsWorker';
  export function initialize(create: (scripts: Scripts) => object): void;
}

/** Monaco's own services, as far as the editor's settings use them. */
declare module 'monaco-editor/editor/standalone/browser/standaloneServices' {
  export const StandaloneServices: { get<Service>(id: { type: Service }): Service };
}
declare module 'monaco-editor/platform/storage/common/storage' {
  export const IStorageService: {
    type: { store(key: string, value: boolean, scope: number, target: number): void };
  };
}
declare module 'monaco-editor/editor/standalone/common/standaloneTheme' {
  export const IStandaloneThemeService: {
    type: { setTheme(name: string): void; registerEditorContainer(container: HTMLElement): unknown };
  };
}
declare module 'monaco-editor/editor/browser/config/fontMeasurements' {
  export const FontMeasurements: { readFontInfo(window: Window, font: object): unknown };
}
declare module 'monaco-editor/editor/common/config/fontInfoFromSettings' {
  export function createBareFontInfoFromRawSettings(options: object, pixelRatio: number): object;
}
declare module 'monaco-editor/base/browser/pixelRatio' {
  export const PixelRatio: { getInstance(window: Window): { value: number } };
}
