declare module 'virtual:cueline-editor-types' {
  /** Address of the JSON with the declarations that the editor needs. */
  const url: string;
  export default url;
}
