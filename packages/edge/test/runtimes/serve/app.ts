/** The bundled app, as a server knows it. */
export type App = { default: { fetch(request: Request, env?: object): Promise<Response> } };
