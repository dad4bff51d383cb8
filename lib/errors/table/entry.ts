/** Entry of one code in the table of errors. Texts are plain, with `code` in backquotes. */
export interface ProblemEntry {
  /** HTTP status. If there are several, the first is the default, and the throw site names another. */
  readonly status: number | readonly [usual: number, ...others: number[]];
  /** HTTP status in the tool service, if it differs. Only the agent service calls the tool service. */
  readonly toolServiceStatus?: number;
  readonly title: string;
  /** Condition that causes the error. */
  readonly meaning: string;
  readonly whatToDo: string;
  /** Sent as `retry-after`. */
  readonly retryAfterSeconds?: number;
}
