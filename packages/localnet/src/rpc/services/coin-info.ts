import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { suiSupply } from '../../ledger/genesis.ts';
import { suiType } from '../../ledger/move-types.ts';
import type { ObjectRecord } from '../../ledger/types.ts';
import type { ChainView } from '../convert/chain-view.ts';
import { notFound } from '../server/status.ts';
import { registeredCoin } from './currency.ts';

/** `0x2::coin::CoinMetadata<T>`. */
const CoinMetadata = bcs.struct('CoinMetadata', {
  id: bcs.Address,
  decimals: bcs.u8(),
  name: bcs.string(),
  symbol: bcs.string(),
  description: bcs.string(),
  iconUrl: bcs.option(bcs.string()),
});

/** `0x2::coin::TreasuryCap<T>`. */
const TreasuryCap = bcs.struct('TreasuryCap', { id: bcs.Address, totalSupply: bcs.u64() });

const { CoinTreasury_SupplyState: SupplyState, RegulatedCoinMetadata_CoinRegulatedState: RegulatedState } =
  GrpcTypes;

/** SUI has no metadata object and no treasury on this network. */
const suiMetadata: GrpcTypes.CoinMetadata = {
  decimals: 9,
  name: 'Sui',
  symbol: 'SUI',
  description: '',
};
const suiTreasury: GrpcTypes.CoinTreasury = { totalSupply: suiSupply, supplyState: SupplyState.FIXED };
const suiInfo: GrpcTypes.GetCoinInfoResponse = {
  coinType: suiType,
  metadata: suiMetadata,
  treasury: suiTreasury,
  regulatedMetadata: { coinRegulatedState: RegulatedState.UNREGULATED },
};

/** @throws GrpcError NOT_FOUND when there is no such coin (canonical type), or all that describes it is wrapped. */
export function coinInfo(view: ChainView, coinType: string): GrpcTypes.GetCoinInfoResponse {
  const { ledger } = view;
  if (coinType === suiType) return suiInfo;
  const registered = registeredCoin(view, coinType);
  const metadata = ledger.getCurrencyObject('CoinMetadata', coinType);
  const treasury = ledger.getCurrencyObject('TreasuryCap', coinType);
  if (!registered && !metadata && !treasury) throw notFound(`Coin type ${coinType.slice(0, 300)} not found`);
  return {
    coinType,
    ...(metadata?.kind === 'move' && { metadata: metadataMessage(metadata) }),
    ...(treasury?.kind === 'move' && { treasury: treasuryMessage(treasury) }),
    ...registered,
  };
}

type MoveRecord = ObjectRecord & { kind: 'move' };

function metadataMessage({ contents }: MoveRecord): GrpcTypes.CoinMetadata {
  const { id, decimals, name, symbol, description, iconUrl } = CoinMetadata.parse(contents);
  return { id, decimals, name, symbol, description, ...(iconUrl !== null && { iconUrl }) };
}

/** A treasury that is frozen or belongs to the address zero cannot mint. */
function treasuryMessage({ contents, owner }: MoveRecord): GrpcTypes.CoinTreasury {
  const { id, totalSupply } = TreasuryCap.parse(contents);
  const isFixed = owner.kind === 'immutable' || (owner.kind === 'address' && BigInt(owner.address) === 0n);
  const supplyState = isFixed ? SupplyState.FIXED : SupplyState.SUPPLY_STATE_UNKNOWN;
  return { id, totalSupply: BigInt(totalSupply), supplyState };
}
