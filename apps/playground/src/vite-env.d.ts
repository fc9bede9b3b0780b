declare module 'virtual:cueline-editor-types' {
  /** Address of the JSON with the declarations for the editor. */
  const url: string;
  export default url;
}

/** Parts of Monaco that are imported for their side effects and have no declarations. */
declare module 'monaco-editor/editor/contrib/*';
