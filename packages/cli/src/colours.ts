import { styleText } from 'node:util';
import type { Help } from 'commander';
import type { Io } from './io.ts';

type Format = Parameters<typeof styleText>[0];

/** The label at the start of a line on standard error, and how it is shown. */
const labels: readonly [RegExp, Format][] = [
  [/^error:/, ['bold', 'red']],
  [/^warning(?= )/, ['bold', 'yellow']],
  [/^signing(?= )/, 'bold'],
];

// The stream was examined when the program started.
const paint = (format: Format, text: string) => styleText(format, text, { validateStream: false });

function paintLabels(text: string): string {
  const lines = text
    .split('\n')
    .map((line) =>
      labels.reduce((now, [label, format]) => now.replace(label, (found) => paint(format, found)), line),
    );
  return lines.join('\n');
}

/** The same streams; where `err` shows colours, the labels of its lines have them. */
export const withColours = (io: Io): Io =>
  io.colours?.err ? { ...io, err: (text) => io.err(paintLabels(text)) } : io;

/** Style of a help on a terminal with colours. Commander leaves them out of any other output. */
export const helpStyle: Partial<Help> = {
  styleTitle: (text) => paint('bold', text),
  styleCommandText: (text) => paint('cyan', text),
  styleSubcommandText: (text) => paint('cyan', text),
  styleOptionText: (text) => paint('cyan', text),
  styleArgumentText: (text) => paint('cyan', text),
};
