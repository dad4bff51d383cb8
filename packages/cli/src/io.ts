import { escapeControls } from './output/escape.ts';

/** What a command is given of the process that it runs in. */
export interface Io {
  /** Answers. */
  out(text: string): void;
  /** Progress, warnings and refusals. */
  err(text: string): void;
  env: Record<string, string | undefined>;
  /** Whether `err` is a terminal that a line can be rewritten on. */
  liveErr: boolean;
}

/** Writes lines; none of them can move a terminal's cursor or hide a part of itself. */
export function say(write: Io['out'], lines: readonly string[]): void {
  write(lines.map((line) => `${escapeControls(line)}\n`).join(''));
}

/** Words that the command cannot work with: exit code 2. */
export class UsageError extends Error {}

/** Why what was asked for was not done, and what to do about it: exit code 1. */
export class Refusal extends Error {}
