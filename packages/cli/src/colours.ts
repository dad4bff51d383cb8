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

// `io.colours` says whether the stream shows colours, so the stream is not examined here.
const paint = (format: Format, text: string) => styleText(format, text, { validateStream: false });

function paintLabels(text: string): string {
  const lines = text
    .split('\n')
    .map((line) =>
      labels.reduce((text, [label, format]) => text.replace(label, (found) => paint(format, found)), line),
    );
  return lines.join('\n');
}

/** Returns the same streams, with coloured labels on `err` if it shows colours. */
export const withColours = (io: Io): Io =>
  io.colours?.err ? { ...io, err: (text) => io.err(paintLabels(text)) } : io;

/** Style of the help. Commander leaves the colours out where the output does not show them. */
export const helpStyle: Partial<Help> = {
  styleTitle: (text) => paint('bold', text),
  styleCommandText: (text) => paint('cyan', text),
  styleSubcommandText: (text) => paint('cyan', text),
  styleOptionText: (text) => paint('cyan', text),
  styleArgumentText: (text) => paint('cyan', text),
};
