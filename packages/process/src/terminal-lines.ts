import { styleText } from 'node:util';
import { type DestinationStream, pino } from 'pino';

// Not `pino-pretty`: a line feed in a text begins another line there.

interface Entry extends Record<string, unknown> {
  level: number;
  time: number;
  msg?: unknown;
}

const colors: Record<string, Parameters<typeof styleText>[0]> = {
  warn: 'yellow',
  error: 'red',
  fatal: ['white', 'bgRed'],
};

/** Shows each log entry as one line: time of day, level, message, and its fields as `name=value`. */
export function terminalLines(terminal: DestinationStream): DestinationStream {
  return { write: (entry) => terminal.write(`${formatLine(JSON.parse(entry))}\n`) };
}

function formatLine({ level, time, msg, pid: _, hostname: _host, name: _name, ...fields }: Entry): string {
  const label = pino.levels.labels[level] ?? String(level);
  const parts = [
    styleText('dim', new Date(time).toTimeString().slice(0, 8)),
    styleText(colors[label] ?? 'green', label.toUpperCase()),
    // Any text may contain line feeds and control characters that move the cursor.
    String(msg ?? '').replace(/\p{Cc}+\s*/gu, ' '),
    ...Object.entries(fields).map(([key, value]) => styleText('dim', `${key}=${formatValue(value)}`)),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/**
 * Returns a text that needs no quotes unchanged, and all other values as JSON, which also puts an error's stack on one
 * line.
 */
function formatValue(value: unknown): string {
  const json = JSON.stringify(value).replace(/\p{Cc}/gu, ' ');
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) && json === `"${value}"` ? value : json;
}
