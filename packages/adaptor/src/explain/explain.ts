import { analysisVersion, briefCertificate, type Certificate } from '../certify/index.ts';
import { isSystemPackage } from '../packages/system.ts';
import { describeClaims } from './describe.ts';
import type { CallClaim, Explanation, Holder, PackageClaim } from './explanation.ts';
import type { ExplainFacts } from './facts.ts';
import { isWalletType } from './origin.ts';
import { functionKey, inputId, listCalls, type ParsedTransaction } from './parse.ts';
import { listReceived } from './receives.ts';
import { summarizeMovements } from './summarize.ts';
import { compareVersions, forgetBalances } from './versions.ts';
import { walk } from './walk.ts';

/**
 * Explains a transaction to its signers: what can leave, where it goes, what comes back, and who can change that. It reads nothing:
 * `read` has the objects and the certificates of the functions.
 * @throws ExplainError if the transaction exceeds a bound
 */
export function explain(transaction: ParsedTransaction, read: ExplainFacts): Explanation {
  const versions = compareVersions(transaction, read);
  const facts = forgetBalances(read, versions);
  const isBehind = versions.some(({ kind }) => kind === 'newer');
  const { movements, notRead, publications, changes, inputs } = walk(transaction, facts);
  const { sender, payer, budget } = transaction;
  const claims = {
    analysis: analysisVersion,
    sender,
    versions,
    ...summarizeMovements(movements.list, listOwn(transaction, facts)),
    changes: changes.list(),
    receives: listReceived(transaction.inputs, inputs, movements.list),
    publishes: publications.listPublishClaims(movements.list),
    upgrades: publications.listUpgradeClaims(facts.objects),
    gas: { payer, atMost: budget ?? null },
    rest:
      isBehind || notRead.some(({ command }) => command === undefined)
        ? ('unread' as const)
        : ('cannot' as const),
    packages: listPackages(transaction, facts),
    calls: describeCalls(transaction, facts),
    notRead,
  };
  return { ...claims, sentences: describeClaims(claims) };
}

/** The signers, their objects, and the wallets that the transaction names. */
function listOwn({ sender, payer, inputs }: ParsedTransaction, { objects }: ExplainFacts): Holder[] {
  const signers = new Set([sender, payer]);
  const named = inputs.map(inputId).flatMap((id) => (id === undefined ? [] : (objects.get(id) ?? [])));
  const own = named.filter(
    ({ owner, type }) => (owner.kind === 'address' && signers.has(owner.address)) || isWalletType(type),
  );
  return [
    ...[...signers].map((address): Holder => ({ kind: 'address', address })),
    ...own.map(({ id }): Holder => ({ kind: 'object', id })),
  ];
}

function listPackages(
  { commands }: ParsedTransaction,
  { functions, upgrades }: ExplainFacts,
): PackageClaim[] {
  const versions = listCalls(commands).flatMap((call) => {
    const fact = functions.get(functionKey(call));
    return fact && 'certificate' in fact ? [fact.certificate.package, ...fact.certificate.closure] : [];
  });
  const byId = new Map(versions.map((version) => [version.id, version]));
  return [...byId.values()]
    .filter(({ originalId }) => !isSystemPackage(originalId))
    .map(({ id, originalId, version }) => ({
      id,
      originalId,
      version,
      upgrade: upgrades.get(id) ?? { kind: 'unread', reason: 'The node was not asked.' },
    }));
}

/** Sentences of one function. A function that reads more fields says so in its certificate. */
const sentencesMax = 8;

/** Sentences by certificate, since a service explains many transactions with the same functions. */
const sentencesByCertificate = new WeakMap<Certificate, readonly Omit<CallClaim, 'command'>[]>();

/** States who steers the calls, once for each function. */
function describeCalls({ commands }: ParsedTransaction, { functions }: ExplainFacts): CallClaim[] {
  const described = new Set<string>();
  return commands.flatMap((each, command) => {
    if (each.$kind !== 'MoveCall') return [];
    const key = functionKey(each.MoveCall);
    const fact = functions.get(key);
    if (!fact || !('certificate' in fact) || described.has(key)) return [];
    described.add(key);
    return describeFunction(fact.certificate).map((claim) => ({ command, ...claim }));
  });
}

function describeFunction(certificate: Certificate): readonly Omit<CallClaim, 'command'>[] {
  const sentences = sentencesByCertificate.get(certificate) ?? selectSentences(certificate);
  sentencesByCertificate.set(certificate, sentences);
  return sentences;
}

function selectSentences(certificate: Certificate): Omit<CallClaim, 'command'>[] {
  const { sentences, packages } = briefCertificate(certificate);
  const ids = new Map(packages.map(({ name, version }) => [name, version.id]));
  return sentences
    .filter(({ kind }) => kind === 'steers' || kind === 'droppedCheck')
    .flatMap(({ kind, verdict, text }) =>
      verdict === 'may' ? [{ kind: kind as CallClaim['kind'], text: nameInFull(text, ids) }] : [],
    )
    .slice(0, sentencesMax);
}

const nameInFull = (text: string, ids: ReadonlyMap<string, string>): string =>
  text.replace(/@P\d+(?=::)/g, (name) => ids.get(name) ?? name);
