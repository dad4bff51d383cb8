import { Transaction } from '@mysten/sui/transactions';
import { normalizeStructTag } from '@mysten/sui/utils';
import type { CatalogEntry } from '../../../db/queries/catalog/entry.ts';
import type { ActionStep } from '../../../lib/actions/request.ts';
import type { Manifest } from '../../../lib/adaptor/manifest.ts';
import { pureTypeName } from '../../../lib/adaptor/pure-type.ts';
import { normalizeAddress } from '../../../lib/chain/names.ts';
import { flowOf } from '../run/flows.ts';
import { askedLeast, askedValues } from './asked.ts';
import { type Call, type CallArgument, u64Of } from './calls.ts';
import { refusal } from './refusal.ts';

type Op = Manifest['ops'][number];
type Argument = NonNullable<Op['call']>['args'][number];

const clockId = normalizeAddress('0x6');

/**
 * Holds the calls of one step against the request and the adaptor's verified manifest: ops of it alone, on this
 * wallet, with the manifest's objects, and no amount, minimum or value that was not asked for.
 * @throws RunFailure `unexpected_transaction`
 */
export function checkAdaptorCalls(
  calls: readonly Call[],
  step: Exclude<ActionStep, { action: 'spend' }>,
  entry: CatalogEntry,
  walletId: string,
): void {
  // Each amount asked for is paid once.
  const amounts = flowOf(step).pays.map(({ amount }) => amount);
  for (const call of calls) {
    const op = entry.manifest.ops.find((candidate) => targetOf(entry, candidate) === call.target);
    if (!op?.call) throw refusal(`${call.target} is no op of ${entry.serviceType}`);
    checkTypes(call, op.call.typeArgs, step);
    if (call.arguments.length !== op.call.args.length) throw refusal(`${call.target} has other arguments`);
    op.call.args.forEach((spec, place) => {
      checkArgument(spec, call.arguments[place]!, { call, step, walletId, amounts });
    });
  }
}

const targetOf = ({ packageId }: CatalogEntry, op: Op) => `${packageId}::${op.module}::${op.entry}`;

function checkTypes(call: Call, specs: readonly string[], step: ActionStep): void {
  if (call.typeArguments.length !== specs.length) throw refusal(`${call.target} has other type arguments`);
  specs.forEach((spec, place) => {
    const type = call.typeArguments[place]!;
    if (spec === 'coinIn' || spec === 'coinOut') {
      const asked = step.action === 'swap' ? step[spec] : undefined;
      if (asked !== undefined && type !== asked) throw refusal(`it swaps ${type}, not ${asked}`);
    } else if (type !== normalizeStructTag(spec)) {
      throw refusal(`${call.target} is for ${type}, its manifest says ${spec}`);
    }
  });
}

interface Context {
  call: Call;
  step: ActionStep;
  walletId: string;
  /** What may still be paid. */
  amounts: bigint[];
}

function checkArgument(spec: Argument, given: CallArgument, context: Context): void {
  const { step, walletId, amounts } = context;
  switch (spec.role) {
    case 'wallet':
      requireObject(given, walletId, 'another wallet');
      return;
    case 'clock':
      requireObject(given, clockId, 'another clock');
      return;
    case 'object':
      requireObject(given, normalizeAddress(spec.objectId), `another object than ${spec.objectId}`);
      return;
    case 'amount': {
      const place = amounts.indexOf(u64Of(given) ?? -1n);
      if (place < 0) throw refusal('it moves another amount');
      amounts.splice(place, 1);
      return;
    }
    case 'minOut': {
      const least = u64Of(given);
      if (least === undefined || least < askedLeast(step)) throw refusal('it takes less in return');
      return;
    }
    case 'pure': {
      if (given.kind !== 'pure') throw refusal('a value is an object');
      const type = pureTypeName(spec.type);
      if (type === undefined) throw refusal(`the manifest has no pure type in ${spec.type}`);
      const values = spec.value === undefined ? askedValues(step) : [spec.value];
      if (!values.some((value) => bytesOf(type, value) === given.bytes)) {
        throw refusal(`${spec.name ?? spec.type} has a value that was not asked for`);
      }
    }
  }
}

function requireObject(given: CallArgument, objectId: string | undefined, instead: string): void {
  if (given.kind !== 'object' || given.objectId !== objectId) throw refusal(`it names ${instead}`);
}

/** Base64 of the value's bytes as a pure argument; undefined where the type cannot hold it. */
function bytesOf(type: NonNullable<ReturnType<typeof pureTypeName>>, value: unknown): string | undefined {
  const tx = new Transaction();
  try {
    tx.pure(type as 'u64', value as string);
  } catch {
    return undefined;
  }
  const input = tx.getData().inputs[0];
  return input?.$kind === 'Pure' ? input.Pure.bytes : undefined;
}
