import { type Logger, pino } from 'pino';

export type { Logger };

/** Lines on standard error for a person at a terminal, JSON lines elsewhere; standard output stays free. */
export function commandLogger(): Logger {
  if (!process.stderr.isTTY) return pino(pino.destination({ dest: 2, sync: false }));
  const options = { destination: 2, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' };
  return pino({ transport: { target: 'pino-pretty', options } });
}

/** A logger that writes nothing. */
export const silentLogger: Logger = pino({ level: 'silent' });
