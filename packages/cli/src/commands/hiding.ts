import { Command } from 'commander';
import { buildDecision, type DecisionOptions } from '../decision.ts';
import { formatTable, type Io } from '../io.ts';
import {
  type ApiOptions,
  addExamples,
  answer,
  countArgument,
  createApiCommand,
  createOperatorClient,
  pickNetwork,
} from '../options.ts';

type Api = Awaited<ReturnType<typeof createOperatorClient>>['api'];
type Decision = Omit<ReturnType<typeof buildDecision>, 'subject'>;

/** A hidden thing, such as a picture, with the operator's reason. */
interface Hidden {
  /** Argument with which the commands `hide` and `show` name it. */
  subject: string;
  reason: string;
  operator: string;
  sinceMs: number;
  /** Cells of the columns in `Hiding.columns`. */
  more: readonly string[];
}

/**
 * Definition of a command with which an operator hides things of one kind, lists the hidden ones, and shows them again.
 */
interface Hiding {
  name: string;
  /** Begins with a verb and ends with a full stop. */
  description: string;
  examples: readonly string[];
  /** Name of one such thing in sentences. */
  noun: string;
  /** Argument that names one such thing. `read` parses it. */
  argument: readonly [name: string, description: string, read: (text: string) => string];
  /** Headings of the columns for `Hidden.more`. */
  columns: readonly string[];
  /** Reads an answer of `hide` and `show`, or throws. */
  readOne(body: unknown): Hidden;
  /** Reads an answer of `list`, or throws. */
  readPage(body: unknown): { all: readonly Hidden[]; nextCursor?: string | undefined };
  list(api: Api, query: NonNullable<Parameters<Api['listHiddenPictures']>[0]>['query']): Promise<unknown>;
  hide(api: Api, subject: string, decision: Decision): Promise<unknown>;
  show(api: Api, subject: string, network: ReturnType<typeof pickNetwork>): Promise<unknown>;
}

/** Creates a command with the subcommands `list`, `hide` and `show`. */
export function createHidingCommand(io: Io, hiding: Hiding): Command {
  const command = new Command(hiding.name).description(
    `${hiding.description} Needs the admin secret of the marketplace in MARKETPLACE_ADMIN_SECRET, or the file ` +
      'MARKETPLACE_ADMIN_SECRET_FILE.',
  );
  for (const create of [createListCommand, createHideCommand, createShowCommand])
    command.addCommand(create(io, hiding));
  return addExamples(command, ...hiding.examples);
}

function formatHidden(all: readonly Hidden[], { columns }: Hiding, width: number | undefined): string[] {
  const rows = all.map(({ subject, reason, operator, sinceMs, more }) => [
    subject,
    `${new Date(sinceMs).toISOString()} by ${operator}`,
    reason,
    ...more,
  ]);
  return formatTable(['SUBJECT', 'SINCE', 'REASON', ...columns], rows, width);
}

const createListCommand = (io: Io, hiding: Hiding) =>
  createApiCommand('list', `Lists each hidden ${hiding.noun}, newest first.`)
    .option('--limit <count>', 'maximum number', countArgument, '20')
    .option('--cursor <cursor>', 'continue after a page that --limit ended')
    .action(async (options: ApiOptions & { limit: string; cursor?: string }) => {
      const { network, cursor } = options;
      const { api } = await createOperatorClient(io, options);
      const body = await hiding.list(api, { network, limit: Number(options.limit), cursor });
      const { all, nextCursor } = hiding.readPage(body);
      answer(io, options, body, () => [
        ...(all.length === 0 ? [`no ${hiding.noun} is hidden`] : formatHidden(all, hiding, io.columns)),
        ...(nextCursor ? [`More: --cursor ${nextCursor}`] : []),
      ]);
    });

const createHideCommand = (io: Io, hiding: Hiding) =>
  createApiCommand('hide', `Hides a ${hiding.noun}.`)
    .argument(...hiding.argument)
    .requiredOption('--reason <words>', 'why, for other operators')
    .option('--operator <name>', 'your name, for the record (default: USER)')
    .action(async (named: string, options: DecisionOptions) => {
      const { api } = await createOperatorClient(io, options);
      const { subject, ...decision } = buildDecision(io, named, options);
      const body = await hiding.hide(api, subject, decision);
      const hidden = hiding.readOne(body);
      answer(io, options, body, () => formatHidden([hidden], hiding, io.columns));
    });

const createShowCommand = (io: Io, hiding: Hiding) =>
  createApiCommand('show', `Shows a hidden ${hiding.noun} again.`)
    .argument(...hiding.argument)
    .action(async (subject: string, options: ApiOptions) => {
      const { api } = await createOperatorClient(io, options);
      const body = await hiding.show(api, subject, pickNetwork(options));
      const shown = hiding.readOne(body);
      answer(io, options, body, () => [`shown again: the ${hiding.noun} of ${shown.subject}`]);
    });
