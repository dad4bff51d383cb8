/** What an operation is sent and answers, for one call of it. */
export interface OperationExample {
  /** Values of the path's parameters. */
  path?: Readonly<Record<string, string>>;
  /** Values of query parameters: those that are required, and what the example is about. */
  query?: Readonly<Record<string, string>>;
  /** The body; absent where there is none. */
  request?: unknown;
  /** In place of `request`: several bodies, each under its name. */
  requests?: Readonly<Record<string, unknown>>;
  /** The body of a 200; absent for what answers 204. A text where the answer is no JSON. */
  answer?: unknown;
}
