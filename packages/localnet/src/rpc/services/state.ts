import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import type { Balance, DynamicFieldRecord, PageRequest } from '../../ledger/types.ts';
import type { ChainView } from '../convert/chain-view.ts';
import { bcsMessage } from '../convert/common.ts';
import { ReadMask } from '../convert/read-mask.ts';
import { parseAddress, parseType } from '../query/move-path.ts';
import { bindService } from '../server/service.ts';
import { AnswerBytes } from './answer-bytes.ts';
import { coinInfo } from './coin-info.ts';

const { DynamicField_DynamicFieldKind: FieldKind } = GrpcTypes;

const pageLimits = { default: 50, max: 1_000 };

/** What addresses and objects own. */
export function stateService(view: ChainView) {
  const { ledger } = view;
  return bindService<SuiGrpcClient['stateService']>(GrpcTypes.StateService, {
    async listOwnedObjects(request) {
      const owner = parseAddress(request.owner, 'owner');
      const mask = ReadMask.parse(GrpcTypes.Object, request.readMask, 'object_id,version,object_type');
      const type = request.objectType ? parseType(request.objectType, 'object_type') : undefined;
      const page = ledger.listOwnedObjects(owner, { ...pageOf(request), ...(type && { type }) });
      const [answer, bytes] = [view.answer(), new AnswerBytes()];
      return {
        objects: page.items.map((object) => bytes.add(answer.object(object, mask))),
        ...nextOf(page.next),
      };
    },

    async listDynamicFields(request) {
      const parent = parseAddress(request.parent, 'parent');
      const mask = ReadMask.parse(GrpcTypes.DynamicField, request.readMask, 'parent,field_id');
      const page = ledger.listDynamicFields(parent, pageOf(request));
      const [answer, bytes] = [view.answer(), new AnswerBytes()];
      return {
        dynamicFields: page.items.map((field) => bytes.add(dynamicFieldMessage(answer, field, mask))),
        ...nextOf(page.next),
      };
    },

    async getBalance(request) {
      const owner = parseAddress(request.owner, 'owner');
      return { balance: balanceMessage(ledger.getBalance(owner, parseType(request.coinType, 'coin_type'))) };
    },

    async listBalances(request) {
      const page = ledger.listBalances(parseAddress(request.owner, 'owner'), pageOf(request));
      return {
        balances: page.items.map(balanceMessage),
        ...nextOf(page.next),
      };
    },

    getCoinInfo: async ({ coinType }) => coinInfo(view, parseType(coinType, 'coin_type')),
  });
}

function balanceMessage({ coinType, coins, funds }: Balance): GrpcTypes.Balance {
  return { coinType, balance: coins + funds, coinBalance: coins, addressBalance: funds };
}

function dynamicFieldMessage(
  view: ChainView,
  field: DynamicFieldRecord,
  mask: ReadMask<GrpcTypes.DynamicField>,
): GrpcTypes.DynamicField {
  const message: GrpcTypes.DynamicField = {
    kind: field.kind === 'object' ? FieldKind.OBJECT : FieldKind.FIELD,
    parent: field.parent,
    fieldId: field.field.id,
    fieldObject: view.object(field.field, mask.at('field_object', GrpcTypes.Object)),
    name: bcsMessage(field.nameType, field.name),
    value: bcsMessage(field.valueType, field.value),
    valueType: field.valueType,
  };
  if (field.child) {
    message.childId = field.child.id;
    message.childObject = view.object(field.child, mask.at('child_object', GrpcTypes.Object));
  }
  return mask.apply(message);
}

function pageOf({ pageSize, pageToken }: { pageSize?: number; pageToken?: Uint8Array }): PageRequest {
  const limit = Math.min(pageSize || pageLimits.default, pageLimits.max);
  return pageToken ? { limit, after: Buffer.from(pageToken).toString('utf8') } : { limit };
}

const nextOf = (next: string | undefined) =>
  next === undefined ? {} : { nextPageToken: Buffer.from(next, 'utf8') };
