import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { StateError } from '@adaptor-marketplace/localnet/errors';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import { Argument, Command, CommanderError } from 'commander';
import { type Config, environment, listEnvironmentFiles, loadConfig } from '../lib/config/index.ts';
import { FatalError } from '../lib/errors/index.ts';
import { setErrorPagesUrl } from '../lib/http/exchange.ts';
import { createLogger, type Logger } from '../lib/log/index.ts';
import { createPhases } from '../lib/log/phases.ts';
import { createStatusLine } from '../lib/log/status-line.ts';
import { startTracing } from '../lib/tracing/start-tracing.ts';
import { type Role, roles } from './roles/roles.ts';

const command = new Command('adaptor-marketplace')
  .description(
    'Follows the adaptor registry and serves the catalog. Settings come from the environment (.env).',
  )
  .addArgument(
    new Argument('[roles...]', 'what this process does').choices(['all', ...roles]).default(['all']),
  )
  .action(async (names: (Role | 'all')[]) => {
    await run(names.includes('all') ? undefined : (names as Role[]));
  });
try {
  await command.exitOverride().parseAsync();
} catch (error) {
  // `process.exit`, as commander calls it after --help, can wait forever: https://github.com/nodejs/node/issues/54918.
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode;
}

async function run(requested: Role[] | undefined): Promise<void> {
  const config = readSettings();
  if (!config) return;
  setErrorPagesUrl(config.errorPagesUrl);
  const status = process.stderr.isTTY ? createStatusLine(process.stderr) : undefined;
  const log = createLogger(config.logLevel, status);
  const phases = createPhases(log, status);
  for (const warning of config.warnings) log.warn(warning);
  const stop = stopSignal(log);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  await using closing = new AsyncDisposableStack();
  try {
    const endTracing = await startTracing(environment(), log);
    if (endTracing) closing.defer(endTracing);
    const notices = new Set<string>();
    // Loading takes seconds, in which people must see that something happens.
    const { startRoles } = await phases.during('loading the service', () => import('./roles/start.ts'));
    await startRoles(requested, { config, log, phases, metrics, closing, notices, stop });
    phases.end();
    for (const notice of notices) log.warn(notice);
    if (!stop.aborted)
      await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  } catch (error) {
    phases.end();
    if (stop.aborted) return;
    const isKnown = error instanceof FatalError || error instanceof StateError;
    log.fatal(isKnown ? { code: error.code } : { err: error }, getErrorMessage(error));
    process.exitCode = 1;
  }
}

/** Prints what is wrong with the settings, and sets the exit code. */
function readSettings(): Config | undefined {
  try {
    return loadConfig(environment(), listEnvironmentFiles());
  } catch (error) {
    process.stderr.write(`${getErrorMessage(error)}\n`);
    process.exitCode = 1;
    return undefined;
  }
}

/** Aborted by the first Ctrl-C, SIGTERM or SIGHUP, for a clean shutdown. A second Ctrl-C or SIGTERM exits at once. */
function stopSignal(log: Logger): AbortSignal {
  const controller = new AbortController();
  // Writing to a closed terminal fails, which must not interrupt the shutdown.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const onSignal = (signal: NodeJS.Signals) => {
    // SIGHUP often follows another signal.
    if (controller.signal.aborted && signal === 'SIGHUP') return;
    if (controller.signal.aborted) process.exit(130);
    log.info({ signal }, 'stopping');
    controller.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return controller.signal;
}
