import { Command } from 'commander';
import { z } from 'zod';
import { read } from '../api.ts';
import { buildDecision, type DecisionOptions } from '../decision.ts';
import { type Io, table } from '../io.ts';
import {
  type ApiOptions,
  answer,
  apiCommand,
  countArgument,
  createOperatorClient,
  pickNetwork,
  pictureArgument,
  withExamples,
} from '../options.ts';

const record = z.looseObject({
  subject: z.string(),
  url: z.string(),
  reason: z.string(),
  operator: z.string(),
  sinceMs: z.int(),
});
const page = z.looseObject({ pictures: z.array(record), nextCursor: z.string().optional() });

/** `picture`: hides logos of coins and icons of publishers, for the operator of a marketplace. */
export function pictureCommand(io: Io) {
  const command = new Command('picture').description(
    'Hides logos of coins and icons of publishers of a marketplace that you operate; their listings stay. Needs its ' +
      'admin secret in MARKETPLACE_ADMIN_SECRET, or the file MARKETPLACE_ADMIN_SECRET_FILE.',
  );
  for (const make of [list, hide, show]) command.addCommand(make(io));
  return withExamples(
    command,
    "picture hide 0x5d1e...::reef_usd::REEF_USD --reason 'It shows the mark of a bank'",
    'picture show 0x5d1e...::reef_usd::REEF_USD',
    'picture list',
  );
}

function formatRecords(records: readonly z.infer<typeof record>[], columns: number | undefined): string[] {
  const rows = records.map(({ subject, url, reason, operator, sinceMs }) => [
    subject,
    `${new Date(sinceMs).toISOString()} by ${operator}`,
    reason,
    url,
  ]);
  return table(['SUBJECT', 'SINCE', 'REASON', 'URL'], rows, columns);
}

const list = (io: Io) =>
  apiCommand('list', 'Lists the hidden pictures, newest first.')
    .option('--limit <count>', 'maximum number', countArgument, '20')
    .option('--cursor <cursor>', 'continue after a page that --limit ended')
    .action(async (options: ApiOptions & { limit: string; cursor?: string }) => {
      const { network, cursor } = options;
      const { api } = await createOperatorClient(io, options);
      const body = await api.listHiddenPictures({ query: { network, limit: Number(options.limit), cursor } });
      const { pictures, nextCursor } = read(page, body);
      answer(io, options, body, () => [
        ...(pictures.length === 0 ? ['no picture is hidden'] : formatRecords(pictures, io.columns)),
        ...(nextCursor ? [`More: --cursor ${nextCursor}`] : []),
      ]);
    });

const subject = ['<subject>', 'coin type, or address of a publisher', pictureArgument] as const;

const hide = (io: Io) =>
  apiCommand('hide', 'Hides the logo of a coin, or the icon of a publisher.')
    .argument(...subject)
    .requiredOption('--reason <words>', 'why, for other operators')
    .option('--operator <name>', 'your name, for the record (default: USER)')
    .action(async (subject: string, options: DecisionOptions) => {
      const { api } = await createOperatorClient(io, options);
      const body = await api.createHiddenPicture({ body: buildDecision(io, subject, options) });
      const found = read(record, body);
      answer(io, options, body, () => formatRecords([found], io.columns));
    });

const show = (io: Io) =>
  apiCommand('show', 'Shows a hidden picture again.')
    .argument(...subject)
    .action(async (subject: string, options: ApiOptions) => {
      const { api } = await createOperatorClient(io, options);
      const body = await api.removeHiddenPicture({ body: { subject, ...pickNetwork(options) } });
      const found = read(record, body);
      answer(io, options, body, () => [`${found.subject} shows its picture again`]);
    });
