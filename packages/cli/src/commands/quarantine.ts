import { Command } from 'commander';
import { z } from 'zod';
import { parseResponse } from '../api.ts';
import { buildDecision, type DecisionOptions } from '../decision.ts';
import { formatTable, type Io } from '../io.ts';
import {
  type ApiOptions,
  addExamples,
  answer,
  countArgument,
  createApiCommand,
  createOperatorClient,
  subjectArgument,
} from '../options.ts';

const record = z.looseObject({
  id: z.int(),
  subject: z.string(),
  reason: z.string(),
  operator: z.string(),
  sinceMs: z.int(),
  released: z.object({ reason: z.string(), operator: z.string(), atMs: z.int() }).nullable(),
});
const page = z.looseObject({ quarantines: z.array(record), nextCursor: z.string().optional() });

/** `quarantine`: hides listings and publishers, for the operator of a marketplace. */
export function createQuarantineCommand(io: Io) {
  const command = new Command('quarantine').description(
    'Hides listings and publishers of a marketplace that you operate. Needs its admin secret in ' +
      'MARKETPLACE_ADMIN_SECRET, or the file MARKETPLACE_ADMIN_SECRET_FILE.',
  );
  for (const make of [list, add, release]) command.addCommand(make(io));
  return addExamples(
    command,
    "quarantine add 0x4179...::jar::Jar --reason 'It drains the grants of its users'",
    "quarantine release 0x4179...::jar::Jar --id 7 --reason 'The publisher fixed it'",
    'quarantine list --all',
  );
}

function formatRecords(records: readonly z.infer<typeof record>[], columns: number | undefined): string[] {
  const rows = records.map(({ id, subject, reason, operator, sinceMs, released }) => [
    String(id),
    subject,
    formatAct(sinceMs, operator),
    reason,
    ...(released ? [formatAct(released.atMs, released.operator), released.reason] : ['', '']),
  ]);
  return formatTable(['ID', 'SUBJECT', 'SINCE', 'REASON', 'RELEASED', 'BECAUSE'], rows, columns);
}

const formatAct = (atMs: number, operator: string) => `${new Date(atMs).toISOString()} by ${operator}`;

const list = (io: Io) =>
  createApiCommand('list', 'Lists the quarantines in force, newest first.')
    .option('--all', 'include those that were released')
    .option('--limit <count>', 'maximum number', countArgument, '20')
    .option('--cursor <cursor>', 'continue after a page that --limit ended')
    .action(async (options: ApiOptions & { all?: boolean; limit: string; cursor?: string }) => {
      const { network, all, cursor } = options;
      const { api } = await createOperatorClient(io, options);
      const filter = all ? 'all' : 'active';
      const body = await api.listQuarantines({
        query: { network, filter, limit: Number(options.limit), cursor },
      });
      const { quarantines, nextCursor } = parseResponse(page, body);
      answer(io, options, body, () => [
        ...(quarantines.length === 0 ? ['nothing is in quarantine'] : formatRecords(quarantines, io.columns)),
        ...(nextCursor ? [`More: --cursor ${nextCursor}`] : []),
      ]);
    });

const decisionCommand = (name: string, description: string, reason: string) =>
  createApiCommand(name, description)
    .argument('<subject>', 'service type, or address of a publisher for all of its listings', subjectArgument)
    .requiredOption('--reason <words>', reason)
    .option('--operator <name>', 'your name, for the record (default: USER)');

const add = (io: Io) =>
  decisionCommand('add', 'Hides a listing, or all listings of a publisher.', 'why, for everyone').action(
    async (subject: string, options: DecisionOptions) => {
      const { api } = await createOperatorClient(io, options);
      const body = await api.createQuarantine({ body: buildDecision(io, subject, options) });
      const found = parseResponse(record, body);
      answer(io, options, body, () => formatRecords([found], io.columns));
    },
  );

const release = (io: Io) =>
  decisionCommand('release', 'Ends a quarantine.', 'why, for the record')
    .option('--id <id>', 'id of the quarantine in `list`: another one is not ended', countArgument)
    .action(async (subject: string, { id, ...options }: DecisionOptions & { id?: string }) => {
      const { api } = await createOperatorClient(io, options);
      const decision = buildDecision(io, subject, options);
      const body = await api.endQuarantine({
        body: { ...decision, ...(id !== undefined && { id: Number(id) }) },
      });
      const found = parseResponse(record, body);
      answer(io, options, body, () => formatRecords([found], io.columns));
    });
