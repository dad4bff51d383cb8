/** What the table of errors says about one code. Texts are plain, with `code` in backquotes. */
export interface ProblemEntry {
  /** HTTP status. Of several, the first is the usual one; the throw site names another. */
  readonly status: number | readonly [usual: number, ...others: number[]];
  /** Where the tool service, which only the agent service calls, has another one. */
  readonly toolServiceStatus?: number;
  readonly title: string;
  /** When it happens. */
  readonly meaning: string;
  readonly whatToDo: string;
  /** Sent as `retry-after`. */
  readonly retryAfterSeconds?: number;
}
