import { terminalLines } from '@adaptor-marketplace/process';
import { type Logger, pino } from 'pino';

export type { Logger };

/** Lines on standard error for a person at a terminal, JSON lines elsewhere; standard output stays free. */
export function commandLogger(): Logger {
  if (process.stderr.isTTY) return pino({}, terminalLines(process.stderr));
  return pino(pino.destination({ dest: 2, sync: false }));
}

/** A logger that writes nothing. */
export const silentLogger: Logger = pino({ level: 'silent' });
