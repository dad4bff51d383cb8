import { type ExecutableOp, isAmountTaken } from '@adaptor-marketplace/adaptor/manifest';
import { hasRole } from '../../words/operation.ts';
import { canChooseCoin, parseEnteredValues } from '../grant/arguments.ts';
import { type CoinInfos, type OperationInput, parseAmount } from '../grant/fields.ts';
import { siteNetwork } from '../signing/chain.ts';

export interface RunTarget {
  owner: string;
  walletId: string;
  service: string;
}

/** Builds the request of a `call` from the form. @throws ActionFailedError */
export function buildCall(
  op: ExecutableOp,
  { owner, walletId, service }: RunTarget,
  { amount, minOut, coinIn, coinOut }: OperationInput,
  { values, infos }: { values: Readonly<Record<string, string>>; infos: CoinInfos },
) {
  const units = (text: string, coin: string) =>
    String(parseAmount(text, infos.get(coin), 'An amount is not a number'));
  const given = hasRole(op, 'amount') ? units(amount, coinIn) : undefined;
  // The wallet contract refuses a minimum of zero.
  const least = hasRole(op, 'minOut') ? (minOut === '' ? '1' : units(minOut, coinOut)) : '0';
  return {
    action: 'call',
    owner,
    walletId,
    network: siteNetwork,
    adaptor: service,
    op: `${op.module}::${op.entry}`,
    spends:
      isAmountTaken(op) && given !== undefined && given !== '0' ? [{ coinType: coinIn, amount: given }] : [],
    receivesAtLeast: least === '0' ? [] : [{ coinType: coinOut, amount: least }],
    ...(!isAmountTaken(op) && given !== undefined && { amount: given }),
    ...(canChooseCoin(op, 'coinIn') && { coinIn }),
    ...(canChooseCoin(op, 'coinOut') && { coinOut }),
    values: parseEnteredValues(op, values),
  };
}
