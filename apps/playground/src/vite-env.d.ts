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

/** Monaco's own services, as far as the editor's settings use them. */
declare module 'monaco-editor/editor/standalone/browser/standaloneServices' {
  export const StandaloneServices: { get<Service>(id: { type: Service }): Service };
}
declare module 'monaco-editor/platform/storage/common/storage' {
  export const IStorageService: {
    type: { store(key: string, value: boolean, scope: number, target: number): void };
  };
}
