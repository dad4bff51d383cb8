import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { WalletChainEvent } from './event.ts';

interface Change {
  key: [walletId: string, kind: 'auth' | 'caveat', rule: string, forAuth: string];
  /** What was there before is gone. */
  reset: boolean;
  /** Since when it is there; undefined where it is gone. */
  addedAtMs?: number;
}

/** Brings `policy_rules` up to date with events in chain order. Adding what is there, or removing what is not, changes nothing. */
export async function foldPolicyRules(
  client: ClientBase,
  network: Network,
  events: WalletChainEvent[],
): Promise<void> {
  const changes = new Map<string, Change>();
  for (const event of events) {
    const { data } = event;
    if (data?.name !== 'policy::AuthRuleChanged' && data?.name !== 'policy::CaveatRuleChanged') continue;
    const { walletId, rule, added } = data.fields;
    const isAuth = data.name === 'policy::AuthRuleChanged';
    const forAuth = isAuth ? '' : (data.fields.auth ?? '');
    const key: Change['key'] = [walletId, isAuth ? 'auth' : 'caveat', rule, forAuth];
    const former = changes.get(key.join(' '));
    const since = added ? { addedAtMs: former?.addedAtMs ?? event.timestampMs } : {};
    changes.set(key.join(' '), { key, reset: !added || (former?.reset ?? false), ...since });
  }
  const all = [...changes.values()];
  const values = (rows: Change[]) => [network, ...[0, 1, 2, 3].map((at) => rows.map(({ key }) => key[at]))];
  const removed = all.filter(({ reset }) => reset);
  if (removed.length > 0) {
    await client.query({
      name: 'remove-policy-rules',
      text: `delete from policy_rules r using unnest($2::text[], $3::text[], $4::text[], $5::text[])
          as c (wallet_id, kind, rule, for_auth)
        where r.network = $1 and r.wallet_id = c.wallet_id and r.kind = c.kind and r.rule = c.rule
          and r.for_auth = c.for_auth`,
      values: values(removed),
    });
  }
  const added = all.filter(({ addedAtMs }) => addedAtMs !== undefined);
  if (added.length > 0) {
    await client.query({
      name: 'add-policy-rules',
      text: `insert into policy_rules (network, wallet_id, kind, rule, for_auth, added_at)
        select $1, c.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[]) c
        on conflict do nothing`,
      values: [...values(added), added.map(({ addedAtMs }) => new Date(addedAtMs!))],
    });
  }
}
