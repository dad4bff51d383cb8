import assert from 'node:assert/strict';
import { bcs } from '@mysten/sui/bcs';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { fromBase64 } from '@mysten/sui/utils';
import { casesOf, NotApplicable, type Subject } from '../case.ts';
import { codeOf, missingId, refused, refusedField } from '../expect.ts';

/** Networks other than the two public ones may have no name service. */
async function requireNames({ client }: Subject): Promise<void> {
  const code = await codeOf(client.nameService.lookupName({ name: 'x.sui' }));
  if (code === 'UNIMPLEMENTED') throw new NotApplicable('the network has no name service');
}

const names = casesOf('NameService', {
  async 'has no record of an unused name'(subject) {
    await requireNames(subject);
    const name = `unused-${'x'.repeat(40)}.sui`;
    await refused('NOT_FOUND', subject.client.nameService.lookupName({ name }));
    assert.equal((await subject.client.core.resolveNameServiceAddress({ name })).address, null);
  },
  async 'has no name of an unused address'(subject) {
    await requireNames(subject);
    await refused('NOT_FOUND', subject.client.nameService.reverseLookupName({ address: missingId }));
  },
  async 'refuses what is not a name'(subject) {
    await requireNames(subject);
    await refusedField('name', subject.client.nameService.lookupName({ name: '-x-.sui' }));
  },
  async 'refuses no name and no address'(subject) {
    await requireNames(subject);
    await refusedField('name', subject.client.nameService.lookupName({}));
    await refusedField('address', subject.client.nameService.reverseLookupName({}));
  },
});

const text = new TextEncoder().encode('conformance');
const key = Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(7));

async function verify({ client }: Subject, change: { text?: Uint8Array; address?: string } = {}) {
  const { signature } = await key.signPersonalMessage(text);
  const { response } = await client.signatureVerificationService.verifySignature({
    message: {
      name: 'PersonalMessage',
      value: bcs
        .byteVector()
        .serialize(change.text ?? text)
        .toBytes(),
    },
    signature: { bcs: { value: fromBase64(signature) }, signature: { oneofKind: undefined } },
    jwks: [],
    ...(change.address !== undefined && { address: change.address }),
  });
  return response;
}

const signatures = casesOf('VerifySignature', {
  async 'holds a good signature for valid'(subject) {
    assert.equal((await verify(subject)).isValid, true);
    assert.equal((await verify(subject, { address: key.toSuiAddress() })).isValid, true);
  },
  async 'holds a signature of another message for invalid, and says why'(subject) {
    const answer = await verify(subject, { text: new TextEncoder().encode('another') });
    assert.equal(answer.isValid, false);
    assert.ok(answer.reason);
  },
  async 'holds a signature of another address for invalid'(subject) {
    assert.equal((await verify(subject, { address: missingId })).isValid, false);
  },
  'refuses no signature': ({ client }) =>
    refusedField(
      'signature',
      client.signatureVerificationService.verifySignature({ message: { value: text }, jwks: [] }),
    ),
  async 'refuses no message'({ client }) {
    const { signature } = await key.signPersonalMessage(text);
    await refusedField(
      'message',
      client.signatureVerificationService.verifySignature({
        signature: { bcs: { value: fromBase64(signature) }, signature: { oneofKind: undefined } },
        jwks: [],
      }),
    );
  },
});

export const nameAndSignatureCases = [...names, ...signatures];
