import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { inTransaction } from '../../transaction.ts';
import { insertCaps, readCapsMintedFor, updateCaps } from './caps.ts';

const network = 'testnet';

const db = useTestDatabase();

const wallets = ['w1', 'w2', 'w3', 'w4'];

const caps = fc.array(
  fc.record({
    walletId: fc.constantFrom(...wallets),
    recipient: fc.constantFrom('agent', 'other', null),
    isSplit: fc.boolean(),
    isOutdated: fc.boolean(),
    isRevoked: fc.boolean(),
    burns: fc.boolean(),
    /** Number of caps that are minted in one batch. */
    cut: fc.boolean(),
  }),
  { maxLength: 25 },
);

test('the first active cap of every wallet comes before the second of any, those of its owner first, the newest first', async () => {
  await fc.assert(
    fc.asyncProperty(caps, fc.integer({ min: 1, max: 12 }), async (made, limit) => {
      await db.pool.query('truncate caps, cap_wallets, policies');
      await db.pool.query(
        `insert into policies (network, wallet_id, version, initialized_at) select $1, unnest($2::text[]), 2, now()`,
        [network, wallets.slice(0, 3)],
      );
      // A wallet has caps of its former policies before those of the present one.
      const ordered = [
        ...made.filter(({ isOutdated }) => isOutdated),
        ...made.filter(({ isOutdated }) => !isOutdated),
      ].map((cap, nth) => ({ ...cap, capId: `cap${nth}`, nth }));
      const batches: (typeof ordered)[] = [[]];
      for (const cap of ordered) {
        batches.at(-1)!.push(cap);
        if (cap.cut) batches.push([]);
      }
      for (const batch of batches) {
        await inTransaction(db.pool, (client) =>
          insertCaps(
            client,
            network,
            batch.map(({ capId, walletId, recipient, isSplit, isOutdated, isRevoked, nth }) => ({
              capId,
              walletId,
              recipient,
              kind: 'bearer' as const,
              parent: isSplit ? 'parent' : null,
              policyVersion: isOutdated ? 1 : 2,
              minted: { checkpoint: nth, txIndex: 0, eventIndex: 0, timestampMs: nth },
              revokedAt: isRevoked ? new Date(nth) : undefined,
            })),
          ),
        );
      }
      const burned = ordered.filter(({ burns, nth }) => burns && nth % 3 === 0);
      await inTransaction(db.pool, (client) =>
        updateCaps(
          client,
          network,
          burned.map(({ capId }) => ({ capId, debited: 0n, burnedAt: new Date() })),
        ),
      );

      const minted = ordered.filter(({ recipient }) => recipient === 'agent');
      const isActive = (cap: (typeof ordered)[number]) =>
        !cap.isRevoked && !burned.includes(cap) && !(cap.isOutdated && cap.walletId !== 'w4');
      const active = (walletId: string) =>
        minted
          .filter((cap) => cap.walletId === walletId && isActive(cap))
          .sort((a, b) => Number(a.isSplit) - Number(b.isSplit) || b.nth - a.nth)
          .map(({ capId }) => capId);
      const inOrder = [...new Set(minted.map(({ walletId }) => walletId))].map(active);
      const rounds = Array.from({ length: 25 }, (_, nth) => inOrder.flatMap((ids) => ids[nth] ?? []));
      const read = (walletId?: string) =>
        readCapsMintedFor(db.pool, { network, recipient: 'agent', walletId, limit });
      expect(await read()).toEqual(rounds.flat().slice(0, limit));
      for (const walletId of wallets) expect(await read(walletId)).toEqual(active(walletId).slice(0, limit));
    }),
    { numRuns: 60 },
  );
});
