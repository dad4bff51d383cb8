import type { Pool } from 'pg';

/**
 * Those of the addresses to which a wallet granted something: they are its delegates, or its owner
 * minted a cap for them. A cap split off another's says nothing: its holder chose whom it is for.
 */
export async function readGranted(
  db: Pool,
  { network, walletId }: { network: string; walletId: string },
  addresses: readonly string[],
): Promise<Set<string>> {
  const { rows } = await db.query<{ address: string }>({
    name: 'agent-granted',
    text: `
select delegate as address from delegates where network = $1 and wallet_id = $2 and delegate = any ($3::text[])
union
select recipient from caps where network = $1 and wallet_id = $2 and recipient = any ($3::text[])
  and parent is null and revoked_at is null and burned_at is null`,
    values: [network, walletId, addresses],
  });
  return new Set(rows.map(({ address }) => address));
}
