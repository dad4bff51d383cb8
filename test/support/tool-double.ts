import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { Transaction } from '@mysten/sui/transactions';
import type { ActionRequest } from '../../lib/actions/request.ts';
import {
  type TransactionDraft,
  type TransactionDraftRequest,
  transactionDraftRequest,
} from '../../lib/actions/tools-api.ts';
import { listenLocally } from './listen-locally.ts';

/** Returns the tool service's answer: a draft, or a status with any body. */
type Drafting = (
  request: TransactionDraftRequest,
) => Promise<TransactionDraft | { status: number; body: unknown }>;

export interface ToolDouble {
  url: string;
  /** Function that makes the drafts. Tests may replace it. */
  draft: Drafting;
  /** Headers of the last request. */
  headers(): IncomingHttpHeaders;
  close(): Promise<void>;
}

/** A third party's tool service. It speaks the real protocol and returns the drafts that a test gives it. */
export async function startToolDouble(draft: Drafting): Promise<ToolDouble> {
  let seen: IncomingHttpHeaders = {};
  const double = { draft };
  const server = createServer((req, res) => {
    if (req.url === '/readyz') return void res.end();
    seen = req.headers;
    void (async () => {
      const answer = await double.draft(transactionDraftRequest.parse(JSON.parse(await text(req))));
      const [status, body] = 'status' in answer ? [answer.status, answer.body] : [200, answer];
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    })().catch(() => res.destroy());
  });
  const { url, close } = await listenLocally(server);
  return Object.assign(double, { url, headers: () => seen, close });
}

/** A draft of one step. `build` fills its transaction, and `client` resolves the objects. */
export async function buildDraft(
  { request, sender }: TransactionDraftRequest,
  client: ChainClient,
  build: (tx: Transaction, request: ActionRequest) => void,
): Promise<TransactionDraft> {
  const tx = new Transaction();
  tx.setSender(sender);
  build(tx, request);
  const kind = await tx.build({ client, onlyTransactionKind: true });
  const targets = tx
    .getData()
    .commands.map(({ MoveCall: call }) => (call ? `${call.package}::${call.module}::${call.function}` : '?'));
  return {
    network: request.network,
    walletId: request.walletId,
    sender,
    transactionKind: Buffer.from(kind).toString('base64'),
    summary: 'A draft.',
    steps: [
      {
        action: request.action,
        summary: 'A draft.',
        slot: null,
        adaptor: null,
        targets,
        spends: [],
        receivesAtLeast: [],
        recipient: null,
        capId: null,
      },
    ],
    spends: [],
    receivesAtLeast: [],
  };
}
