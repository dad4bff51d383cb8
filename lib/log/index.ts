import { terminalLines } from '@adaptor-marketplace/process';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Keys whose values never reach a log line, at the top level or one level down. */
const secretKeys = ['authorization', 'secret', 'secretKey', 'password', 'token', 'apiKey', 'x-api-key'];

const stderrTerminal = () => (process.stderr.isTTY ? process.stderr : undefined);

/** The process's logger on standard error: JSON lines, or readable ones on a terminal. */
export function createLogger(
  level: string,
  terminal: DestinationStream | undefined = stderrTerminal(),
): Logger {
  const name = 'adaptor-marketplace';
  const redact = { paths: secretKeys.flatMap((key) => [`["${key}"]`, `*["${key}"]`]), censor: '[masked]' };
  if (terminal) return pino({ level, name, redact }, terminalLines(terminal));
  return pino({ level, name, redact }, pino.destination({ dest: 2, sync: false }));
}

/** A logger that writes nothing, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' });
