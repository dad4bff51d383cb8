import { type Answer, ask, callOptions } from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { deriveObjectID } from '@mysten/sui/utils';
import type { FoundStatement, StatementRead } from '../../../db/queries/statements.ts';
import { readHeight } from '../../../lib/chain/providers/provider.ts';
import {
  type AttesterSettings,
  type StatementField,
  statementFields,
} from '../../../lib/config/attesters.ts';

const timeoutMs = 10_000;
/** Maximum number of statements of one type about a package. The node chooses which. */
const statementsMax = 20;
/** Longest text of a statement that is shown, in characters. A longer one is left out: cut, it could say something else. */
const textMax = 512;

type Key = Pick<StatementRead, 'packageId' | 'type' | 'fields'>;

/**
 * Reads the statements of one type about a package that are in force: those that the box of its subject owns, which a revoked
 * one leaves. Only the package of statements puts objects of its type there, and only the package that defines the data's type
 * makes it do so.
 * @param checkpoint the node must have reached it: also the backend that answers, where several have one address
 */
export async function readStatementObjects(
  { ledgerService, stateService }: ChainClient,
  settings: Pick<AttesterSettings, 'packageId' | 'registryId'>,
  { checkpoint, ...key }: Key & Pick<StatementRead, 'checkpoint'>,
): Promise<Answer<FoundStatement[]>> {
  const info = await ask(ledgerService.getServiceInfo({}, callOptions(timeoutMs)));
  if (info.status !== 'found') return info;
  if (Number(info.value.checkpointHeight ?? 0n) < checkpoint) return createLag(checkpoint);
  const request = {
    owner: deriveBox(settings, key.packageId),
    objectType: `${settings.packageId}::attestations::Attestation<${key.type}>`,
    pageSize: statementsMax,
    readMask: { paths: ['object_id', 'json'] },
  };
  const listing = stateService.listOwnedObjects(request, callOptions(timeoutMs));
  const answer = await ask(
    (async () => {
      const { response, headers } = await listing;
      return { response: { objects: response.objects, height: readHeight(headers) } };
    })(),
  );
  if (answer.status !== 'found') return answer;
  const { objects, height } = answer.value;
  if (height !== undefined && height < checkpoint) return createLag(checkpoint);
  const found = objects.slice(0, statementsMax).map((object) => decodeStatement(object, key));
  return { status: 'found', value: found.filter((one) => one !== undefined) };
}

const createLag = (checkpoint: number) =>
  ({ status: 'unavailable', reason: `the node has not reached checkpoint ${checkpoint}` }) as const;

/** Returns the address of the box that owns the statements in force about a package. */
export function deriveBox(
  { packageId, registryId }: Pick<AttesterSettings, 'packageId' | 'registryId'>,
  subject: string,
): string {
  const notRevoked = '00';
  const key = Buffer.from(`${subject.slice(2)}${notRevoked}`, 'hex');
  return deriveObjectID(registryId, `${packageId}::attestations::BoxKey`, key);
}

/** Reads the shown texts of an object; undefined if it is about another package, or the node gave no content. */
export function decodeStatement(
  { objectId, json }: Pick<GrpcTypes.Object, 'objectId' | 'json'>,
  { packageId, fields }: Key,
): FoundStatement | undefined {
  const object = readFields(json);
  if (objectId === undefined || readText(object?.subject) !== packageId) return undefined;
  const data = readFields(object?.data);
  const content: FoundStatement['content'] = {};
  for (const name of statementFields) {
    const field = fields?.[name];
    const text =
      field === undefined || !data || !Object.hasOwn(data, field) ? undefined : readText(data[field]);
    if (text !== undefined && isShown(name, text)) content[name] = text;
  }
  return { objectId, content };
}

type Json = GrpcTypes.Object['json'];

const readFields = (value: Json): Record<string, Json> | undefined =>
  value?.kind.oneofKind === 'structValue' ? value.kind.structValue.fields : undefined;

const readText = (value: Json): string | undefined =>
  value?.kind.oneofKind === 'stringValue' ? value.kind.stringValue : undefined;

const links: readonly StatementField[] = ['repository', 'report'];

/** PostgreSQL stores no NUL and no lone surrogate, and pages link to `https` alone. */
function isShown(name: StatementField, text: string): boolean {
  if (text === '' || text.length > textMax || text.includes('\0') || !text.isWellFormed()) return false;
  if (!links.includes(name)) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '';
}
