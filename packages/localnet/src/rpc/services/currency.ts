import { bcs } from '@mysten/sui/bcs';
import { GrpcTypes } from '@mysten/sui/grpc';
import { typeTagBytes } from '../../ledger/move-types.ts';
import { SUI } from '../../vm/framework.ts';
import { dynamicFieldId } from '../../vm/runtime/transaction-context.ts';
import type { ChainView } from '../convert/chain-view.ts';

/** `0x2::coin_registry::Currency<T>`, up to its extra fields. */
const Currency = bcs.struct('Currency', {
  id: bcs.Address,
  decimals: bcs.u8(),
  name: bcs.string(),
  symbol: bcs.string(),
  description: bcs.string(),
  iconUrl: bcs.string(),
  supply: bcs.option(bcs.enum('SupplyState', { Fixed: bcs.u64(), BurnOnly: bcs.u64(), Unknown: null })),
  regulated: bcs.enum('RegulatedState', {
    Regulated: bcs.struct('Regulated', {
      cap: bcs.Address,
      allowGlobalPause: bcs.option(bcs.bool()),
      variant: bcs.u8(),
    }),
    Unregulated: null,
    Unknown: null,
  }),
  treasuryCapId: bcs.option(bcs.Address),
  metadataCap: bcs.enum('MetadataCapState', { Claimed: bcs.Address, Unclaimed: null, Deleted: null }),
});

const {
  CoinMetadata_MetadataCapState: CapState,
  CoinTreasury_SupplyState: SupplyState,
  RegulatedCoinMetadata_CoinRegulatedState: RegulatedState,
} = GrpcTypes;

const registryId = `0x${'c'.padStart(64, '0')}`;

/** What the coin registry says of a coin (canonical type); undefined when it is not registered. */
export function registeredCoin(
  { ledger }: ChainView,
  coinType: string,
): Omit<GrpcTypes.GetCoinInfoResponse, 'coinType'> | undefined {
  const key = `${SUI}::derived_object::DerivedObjectKey<${SUI}::coin_registry::CurrencyKey<${coinType}>>`;
  // A struct without fields is one byte.
  const object = ledger.getObject(dynamicFieldId(registryId, Uint8Array.of(0), typeTagBytes(key)));
  if (object?.kind !== 'move') return undefined;
  const currency = Currency.parse(Uint8Array.from(object.contents));
  const { id, decimals, name, symbol, description, iconUrl, metadataCap, supply, treasuryCapId } = currency;
  const supplied = supply?.Fixed ?? supply?.BurnOnly ?? undefined;
  return {
    metadata: {
      id,
      decimals,
      name,
      symbol,
      description,
      iconUrl,
      metadataCapState: CapState[metadataCap.$kind.toUpperCase() as 'CLAIMED'],
      ...(metadataCap.Claimed && { metadataCapId: metadataCap.Claimed }),
    },
    ...(supplied !== undefined && {
      treasury: {
        ...(treasuryCapId !== null && { id: treasuryCapId }),
        totalSupply: BigInt(supplied),
        supplyState: supply?.$kind === 'Fixed' ? SupplyState.FIXED : SupplyState.BURN_ONLY,
      },
    }),
    regulatedMetadata: regulatedMessage(currency.regulated),
  };
}

type Regulated = ReturnType<typeof Currency.parse>['regulated'];

function regulatedMessage({ $kind, Regulated: regulated }: Regulated): GrpcTypes.RegulatedCoinMetadata {
  if (!regulated) {
    const isKnown = $kind === 'Unregulated';
    return {
      coinRegulatedState: isKnown ? RegulatedState.UNREGULATED : RegulatedState.COIN_REGULATED_STATE_UNKNOWN,
    };
  }
  const { cap, allowGlobalPause, variant } = regulated;
  return {
    denyCapObject: cap,
    ...(allowGlobalPause !== null && { allowGlobalPause }),
    variant,
    coinRegulatedState: RegulatedState.REGULATED,
  };
}
