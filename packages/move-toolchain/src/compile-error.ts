/** The Move compiler's diagnostics, or why the package could not be put together. */
export class MoveCompileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MoveCompileError';
  }
}
