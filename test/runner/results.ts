import type { TestModule, TestRunResult } from 'vitest/node';

interface FileResult {
  path: string;
  passed: number;
  /** Names of the failed tests, each with its first error; the error alone, if the file failed outside its tests. */
  failures: string[];
}

/** The results of test files by path. A later run of a file replaces the earlier one. */
export class Results {
  readonly #files = new Map<string, FileResult>();
  readonly #unsteady: FileResult[] = [];
  /** Errors that belong to no file: an unhandled rejection, for example. */
  readonly #errors: string[] = [];

  add({ testModules, unhandledErrors }: TestRunResult): void {
    for (const module of testModules) {
      const result = readResult(module);
      const before = this.#files.get(result.path);
      if (before && before.failures.length > 0 && result.failures.length === 0) this.#unsteady.push(before);
      this.#files.set(result.path, result);
    }
    for (const error of unhandledErrors) this.#errors.push(`outside the tests: ${formatError(error)}`);
  }

  get isPassed(): boolean {
    return this.#errors.length === 0 && !this.#all.some(({ failures }) => failures.length > 0);
  }

  /** The last lines of the output: failures, unsteady files and counts. */
  format(): string {
    const failures = [...formatFailures(this.#all), ...this.#errors];
    const unsteady = formatFailures(this.#unsteady);
    const lines = failures.map((failure) => `failed: ${failure}`);
    if (unsteady.length > 0) lines.push('These tests are unsteady: they failed, and passed in a second run.');
    for (const failure of unsteady) lines.push(`unsteady: ${failure}`);
    const passed = this.#all.reduce((sum, file) => sum + file.passed, 0);
    lines.push(`${passed} passed, ${failures.length} failed`);
    return lines.join('\n');
  }

  get #all(): FileResult[] {
    return [...this.#files.values()];
  }
}

function readResult(module: TestModule): FileResult {
  const tests = [...module.children.allTests()];
  const failures = tests.flatMap((test) => {
    const { state, errors } = test.result();
    return state === 'failed' ? [`${test.fullName}: ${formatError(errors?.[0])}`] : [];
  });
  // If a hook or an import failed, no test of the file did.
  if (!module.ok() && failures.length === 0) failures.push(formatError(module.errors()[0]));
  return { path: module.relativeModuleId, passed: tests.filter((test) => test.ok()).length, failures };
}

const formatFailures = (files: readonly FileResult[]): string[] =>
  files.flatMap(({ path, failures }) => failures.map((failure) => `${path}: ${failure}`));

function formatError(error: unknown): string {
  const message = (error as { message?: unknown } | undefined)?.message ?? error ?? 'a hook failed';
  return String(message).split('\n')[0]!;
}
