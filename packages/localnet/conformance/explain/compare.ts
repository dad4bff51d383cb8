import type { Destination, Explanation } from '@adaptor-marketplace/adaptor/explain';
import type { ExecutionOutcome } from '../../src/execution/types.ts';
import type { MoveObject } from '../../src/state/objects.ts';
import { coinType, sui } from './world.ts';

/** Something that an execution did and that the explanation excludes. */
interface Violation {
  claim: 'leaves' | 'arrives' | 'objects' | 'routes';
  what: string;
}

/** Stands for pools and notes in `Executed.changes`: money in an object goes where the object goes. */
export const inObjects = 'pools and notes';

/** The changes of one execution that an explanation speaks about. */
export interface Executed {
  sender: string;
  wallet: string;
  /** Changes of SUI, by address or by the id of the wallet, without gas. */
  changes: ReadonlyMap<string, bigint>;
  /** Objects of the sender before the execution. */
  before: readonly MoveObject[];
  /** `true` if no call gives out money of pools, notes or the wallet, so that all money is the sender's. */
  isAllFromSender: boolean;
  outcome: ExecutionOutcome;
}

/** Finds what an execution did although its explanation excludes it. */
export function findViolations(explanation: Explanation, executed: Executed): Violation[] {
  return [
    ...compareMoney(explanation, executed),
    ...compareRoutes(explanation, executed),
    ...compareObjects(explanation, executed),
  ];
}

function compareMoney({ leaves, arrives }: Explanation, { sender, wallet, changes }: Executed): Violation[] {
  const found: Violation[] = [];
  for (const owner of [sender, wallet]) {
    const change = changes.get(owner) ?? 0n;
    const isOwner = (holder: Explanation['leaves'][number]['holder']) =>
      holder.kind === 'address' ? holder.address === owner : holder.id === owner;
    const leaving = leaves.filter(({ holder, type }) => isOwner(holder) && type === sui);
    const arriving = arrives.filter(({ holder, type }) => isOwner(holder) && type === sui);
    const isBounded = leaving.every(({ atMost }) => atMost !== null);
    const least = arriving.reduce((sum, { atLeast }) => sum + BigInt(atLeast), 0n);
    const most = leaving.reduce((sum, { atMost }) => sum + BigInt(atMost ?? 0), 0n);
    if (isBounded && change < -most)
      found.push({ claim: 'leaves', what: `${owner} lost ${-change}, at most ${most} was said` });
    else if (isBounded && change < least - most)
      found.push({ claim: 'arrives', what: `${owner} got ${change}, at least ${least} was said` });
    const mayArrive = leaves.some(({ routes }) =>
      routes.some(({ to }) => mayBe(to, owner, owner === wallet)),
    );
    if (change > 0n && arriving.length === 0 && !mayArrive)
      found.push({ claim: 'arrives', what: `${owner} got ${change}` });
  }
  return found;
}

/** Checks that money of the sender went only where the explanation sends it. */
function compareRoutes(
  { leaves }: Explanation,
  { sender, wallet, changes, isAllFromSender }: Executed,
): Violation[] {
  if (!isAllFromSender) return [];
  const routes = leaves.flatMap((claim) => claim.routes.map(({ to }) => to));
  return [...changes]
    .filter(([owner, change]) => owner !== sender && owner !== inObjects && change > 0n)
    .filter(([owner]) => !routes.some((to) => mayBe(to, owner, owner === wallet)))
    .map(([owner, change]) => ({ claim: 'routes', what: `${owner} got ${change}` }));
}

function mayBe(to: Destination, owner: string, isObject: boolean): boolean {
  if (to.kind === 'address') return to.address === owner;
  if (to.kind === 'object') return to.id === owner;
  if (isObject) return to.kind === 'kept' || to.kind === 'unread';
  return to.kind === 'storedAddress' || to.kind === 'computedAddress' || to.kind === 'unread';
}

function compareObjects({ objects }: Explanation, { sender, before, outcome }: Executed): Violation[] {
  const found: Violation[] = [];
  for (const { id, type } of before) {
    if (type === coinType) continue;
    const write = outcome.writes.find((each) => each.id === id);
    if (!write) continue;
    const owner = 'owner' in write ? write.owner : undefined;
    if (owner?.kind === 'address' && owner.address === sender) continue;
    const claim = objects.find((each) => each.id === id);
    const what = `the object ${id} is ${write.change}, of ${JSON.stringify(owner, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`;
    if (!claim) found.push({ claim: 'objects', what });
    else if (!claim.routes.some(({ to }) => fits(to, write.change, owner)))
      found.push({ claim: 'routes', what });
  }
  return found;
}

function fits(
  to: Destination,
  change: string,
  owner: { kind: string; address?: string } | undefined,
): boolean {
  switch (to.kind) {
    case 'address':
      return owner?.kind === 'address' && owner.address === to.address;
    case 'storedAddress':
    case 'computedAddress':
      return owner?.kind === 'address';
    case 'shared':
      return owner?.kind === 'shared';
    case 'frozen':
      return owner?.kind === 'immutable';
    case 'destroyed':
    case 'burned':
      return change === 'deleted';
    case 'object':
    case 'kept':
      return change === 'wrapped' || owner?.kind === 'object';
    case 'unread':
      return true;
  }
}
