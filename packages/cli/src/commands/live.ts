import { randomUUID } from 'node:crypto';
import { readSecretFile } from '@adaptor-marketplace/adaptor/secret-file';
import {
  ActionError,
  type AgentActionRequest,
  ConnectionError,
  type Event,
  type Marketplace,
} from '@adaptor-marketplace/sdk';
import { createLostRunError } from '../api.ts';
import { simulateRun } from '../calling/simulate-run.ts';
import { CommandFailedError, formatJsonLine, type Io, say, UsageError } from '../io.ts';
import {
  type ApiOptions,
  addExamples,
  addressArgument,
  byName,
  collectDistinct,
  countArgument,
  createApiCommand,
  createMarketplaceClient,
  cursorArgument,
  fieldArgument,
} from '../options.ts';

interface EventOptions extends ApiOptions {
  after?: string;
  limit?: string;
  follow?: boolean;
}

/** `events`: prints the registry's events, in the order of the chain. */
export function createEventsCommand(io: Io) {
  const command = createApiCommand(
    'events',
    'Prints the events of the registry, oldest first. With --json each line is an event.',
  )
    .option('--after <cursor>', 'continue after this event (default: from the first event)', cursorArgument)
    .option('--limit <count>', 'maximum number of events (default: all)', countArgument)
    .option('--follow', 'go on with new events, through interruptions; without --after, only new ones')
    .action(async (options: EventOptions) => {
      const market = await createMarketplaceClient(io, options);
      const { outClosed: signal } = io;
      let left = Number(options.limit ?? Number.POSITIVE_INFINITY);
      try {
        for await (const event of options.follow
          ? market.events({ ...toStreamOptions(options), signal })
          : readPastEvents(market, options, signal)) {
          if (options.json) io.out(formatJsonLine(event));
          else say(io.out, [formatEvent(event)]);
          left -= 1;
          if (left <= 0) break;
        }
      } catch (error) {
        // A reader such as head has what it needs.
        if (!signal?.aborted) throw error;
      }
    });
  return addExamples(
    command,
    'events --limit 20',
    'events --follow --json',
    'events --follow --after 17.0.2',
  );
}

type StreamOptions = NonNullable<Parameters<Marketplace['events']>[0]>;
const toStreamOptions = ({ network, after }: EventOptions) => ({ network, after }) as StreamOptions;

/** Yields the events up to now. */
async function* readPastEvents(
  { api }: Marketplace,
  options: EventOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void> {
  const { network, after = '0.0.0' } = toStreamOptions(options);
  let from = after;
  for (let hasMore = true; hasMore; ) {
    const query = { after: from, limit: 500, ...(network && { network }) };
    const page = await api.listEvents({ query, ...(signal && { signal }) });
    yield* page.events;
    from = page.cursor ?? from;
    hasMore = page.hasMore;
  }
}

function formatEvent({ timestampMs, cursor, event, data }: Event): string {
  const by = data && 'attester' in data ? data.attester : data?.publisher;
  return [new Date(timestampMs).toISOString(), cursor, event, data?.serviceType ?? '', by ?? ''].join('  ');
}

interface RunOptions extends ApiOptions {
  owner: string;
  wallet: string;
  executorKey?: string;
  requestId?: string;
  simulate?: boolean;
}

/** `run`: runs an action with the operator's managed key. */
export function createRunCommand(io: Io) {
  const command = createApiCommand(
    'run',
    "Runs an action of a wallet with the marketplace's agent, and shows each step. With --json each line is a step.",
  )
    .argument('<action>', 'name of the action, such as spend or swap')
    .argument(
      '[fields...]',
      'fields of the action: name=text, or name:=json',
      collectDistinct(fieldArgument, byName),
    )
    .requiredOption('--owner <address>', "the wallet's owner", addressArgument)
    .requiredOption('--wallet <id>', 'the wallet', addressArgument)
    .option('--executor-key <file>', 'file with an executor key (default: MARKETPLACE_EXECUTOR_KEY)')
    .option('--request-id <id>', 'id of your choice: the same one attaches to the same run')
    .option('--simulate', 'show the bounds and the calls that would be signed; nothing is signed')
    .action(async (action: string, fields: [string, unknown][] = [], options: RunOptions) => {
      const { owner, wallet: walletId, network, requestId } = options;
      const market = await createMarketplaceClient(io, options, await readExecutorKey(io, options));
      const stated = {
        owner,
        walletId,
        ...(network !== undefined && { network }),
        ...(requestId !== undefined && { requestId }),
      };
      // The marketplace checks the fields of the action.
      const request = { ...Object.fromEntries(fields), ...stated, action } as unknown as AgentActionRequest;
      if (options.simulate) return await simulateRun(io, market, request, options);
      if (request.requestId === undefined) {
        request.requestId = randomUUID();
        // The same command under another id would pay again if this one is interrupted.
        say(io.err, [`request  --request-id ${request.requestId} attaches to this run`]);
      }
      try {
        for await (const step of market.runAction(request)) {
          if (options.json) io.out(formatJsonLine(step));
          else if (step.status === 'done') say(io.out, [[step.step, step.digest ?? ''].join('  ').trim()]);
          else if (io.liveErr) io.err(`\r\u001b[K${step.step}…\r`);
        }
      } catch (error) {
        if (error instanceof ConnectionError) throw createLostRunError(error);
        if (!(error instanceof ActionError)) throw error;
        const { step, code, message, runId, requestId: id } = error;
        throw new CommandFailedError(
          `${step}: ${message} (${code})\nThe run is ${runId}, its request id ${id}.`,
        );
      }
    });
  return addExamples(
    command,
    'run spend coinType=0x2::sui::SUI amount=1000 recipient=0x5a... --owner 0x41... --wallet 0x7b... --executor-key my.ek',
  );
}

async function readExecutorKey(io: Io, { executorKey: path }: RunOptions): Promise<string> {
  if (path !== undefined) {
    return await readSecretFile(path).catch((error: Error) => {
      throw new UsageError(`--executor-key: ${error.message}.`);
    });
  }
  const { MARKETPLACE_EXECUTOR_KEY: key } = io.env;
  if (key) return key;
  throw new UsageError('No executor key: give --executor-key <file>, or set MARKETPLACE_EXECUTOR_KEY.');
}
